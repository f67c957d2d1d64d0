package verdict

// ReadWithin is for tests, to which an interrupt comes when they want it.
var ReadWithin = readWithin
