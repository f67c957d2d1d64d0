// Package raster makes raster files and reads them: the work of the lab's
// third experiment. It schedules and measures nothing.
//
// [Terrain] makes synthetic terrain, and [Files] the lab's own files of it.
// [Inspect] says what a file is and [Read] reads one. [WholeReads] and
// [WindowReads] cut the reading of several files into tasks, in the two ways
// that the experiment compares. Both give the same answer for the same files.
//
// # What the package does to GDAL
//
// On first use it registers GDAL's drivers and silences GDAL's own messages to
// standard error: they arrive as errors instead. And unless the environment
// has GDAL_CACHEMAX, it sets it to 16 (megabytes), which GDAL reads once,
// before its first read. The default is 5 % of the machine's memory, and every
// block read is kept there, as a copy that nobody asks for again: on a machine
// where fresh memory is slow, whole reads take up to four times as long with
// it. GDAL_NUM_THREADS is left alone, so GDAL reads with one thread a call.
//
// # Threads
//
// A GDAL dataset may be used by one thread at a time
// (https://gdal.org/user/multithreading.html), and a mutex around it only hides
// that nothing then runs at once. So every task here has a handle of its own
// while it reads.
package raster
