package sched

// CountsOfThreads returns how often the threads of all of the user's processes were counted.
func CountsOfThreads() int { return usersThreads.counts }
