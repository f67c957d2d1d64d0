// Package reads cuts the reading of rasters into tasks for a scheduler: the work of the lab's third
// experiment. Package raster reads; this one measures nothing.
//
// [WholeReads] reads as most programs do, [WindowReads] in the way that was measured to be the
// fastest, and [CollectReads] does so into arrays. [RandomReads] is for what waits for a server,
// and [ThreadReads] leaves it to GDAL's own threads. The methods [Workload.OneHandle],
// [Workload.OpenEach] and [Workload.GDALThreads] are mistakes to be measured, and [ReadUnlocked] is
// one that crashes. All give the same answer for the same files.
//
// To add a way, add what it needs of a reader to raster.Way, and a function here that asks for it;
// a test of all ways, TestKindsEveryWay in package raster, then compares its answers with the
// others'.
//
// A call of GDAL that waits for a server ends with the answer or after GDAL_HTTP_TIMEOUT, and no
// context ends it sooner. Tasks do not wait for it when their context is done, but for those of
// CollectReads: it goes on by itself. These do wait: [Workload.Tasks], which opens all files, one
// after another, and the function that ends a run, where it asks the server once more. With
// OneHandle and ThreadSafe one task opens the file, and the others wait for it.
//
// Package fileserver is a server for remote reads.
package reads
