// Package raster reads rasters by GDAL, block by block and with several workers, in the way that was
// measured to be the fastest.
//
// # Where to start
//
// read.go has Read, load.go Load, stream.go Stream, open.go Inspect, and job.go the [Job] of tasks that any
// scheduler can run, with the other ways to read, which the workloads of package reads measure.
// handles.go is the pool of open datasets that all of these read from, layout.go how blocks become
// tasks, and block.go how a block is read and folded. gdal.go, describe.go and remote*.go are what asks
// GDAL and the network, with reader.c and remote.c; package tiff reads blocks of common TIFFs without
// GDAL; fold.go has the statistics; internal/where names and addresses. testdata/truth.json is the table
// of what each kind of file must give: a new kind begins with a row there.
//
// # Reading
//
// Plain functions read with several workers:
//
//	stats, err := raster.Read(ctx, "dem.tif")                          // all bands together
//	bands, err := raster.ReadBands(ctx, "rgb.tif")                     // each band
//	results, err := raster.ReadMany(ctx, files)                        // one queue of all files' blocks
//	dem, err := raster.Load[float32](ctx, "dem.tif", 1)                // the pixels of band 1
//	err := raster.Stream(ctx, files, func(w raster.Window[float32]) error { … }) // window by window
//
// The way: a queue of blocks over all files; a worker opens a handle of a file when it first needs
// one, and hands it on; blocks are read as they are stored, past GDAL's cache, into one buffer for
// each worker, which are folded into statistics in C while a CPU's cache still holds them. Strips
// are read several at a time. Blocks that hold several bands are decoded once. GDAL says what a
// file is; the blocks of TIFFs of the common kinds are then read by package tiff, with libdeflate,
// and all others by GDAL.
//
// Memory is a block for each worker: with a file that is one compressed strip, that is the whole
// raster, and the strip as it is stored. libdeflate inflates no part of a block. Blocks that hold
// several bands take as much again, as they are decoded. Statistics take 72 bytes for each 256
// pixels of a row of the block, or of the blocks that are read at once: about 7 % of a block of
// float32. Arrays that are larger than the memory that is free are errors, and no crash.
//
// # Values
//
// Statistics are of values as stored: without scale and offset, which [Info] reports and
// [Stats.Scaled] applies. They leave out, and count, nodata (a band's own, or the values that
// several bands have together), NaN, infinities, and what a mask band, a .msk file or an alpha band
// marks as invalid. Sums are exact. Bytes of the metadata PIXELTYPE=SIGNEDBYTE are signed with any
// version of GDAL. Complex numbers are refused. The rasters in a file of several, such as pages and
// variables, are read by the names in Info.Parts, such as NETCDF:"f.nc":t2m; by the file's own name
// the first page of a TIFF is read. A raster may be a folder, as those of Zarr.
//
// There are no statistics but number, least, greatest, sum and mean: no deviation, and no
// histogram. [Stream] hands out the pixels to whatever makes more of them; one of its examples
// makes a histogram.
//
// # Damage
//
// A part that cannot be read is a [BlockError]. A mask that cannot be read is an error, as the
// pixels that it marks would be counted, and so is a file .aux.xml beside it that cannot be read,
// which may tell nodata. A table that does not tell where all blocks of a TIFF are is damage:
// libtiff, or GDAL's threads, take the others for zeros. Files that change while they are read are
// errors; of those in archives, and of folders, nobody looks whether they do. GDAL's warnings are
// kept, in [Info].
//
// Errors are for one file: [ReadMany] and [ReadBands] have what could be read beside them, and
// count it. The answer of a workload of which tasks are missing begins with "incomplete".
//
// Deflate data ends with a checksum, which package tiff compares. libtiff does not always, where it
// uses libdeflate: of data that inflate to more than a block, which is how about half of all damage
// ends, libdeflate says that there is not enough space, before it looks at the checksum, and
// libtiff takes that for success, because there are files whose last strip is longer than it should
// be (libtiff 4.5, tif_zip.c, ZIPDecode). So damage may go unnoticed in what GDAL decodes: in
// overviews, masks, samples of 1, 4 or 12 bits and unusual colour spaces; with [Whole],
// [ByRows], [Way].ByGDAL and [OneSafe]; and in codecs that have no checksum, as
// LZW and no compression at all.
//
// # What the package does to GDAL
//
// On first use it registers GDAL's drivers and silences GDAL's own messages to standard error,
// which arrive as errors instead, and those of HDF5, which do not matter. And unless the
// environment has GDAL_CACHEMAX, it sets it to 16 (megabytes), which GDAL reads once, before its
// first read. The default is 5 % of the machine's memory, and every block read is kept there, as a
// copy that nobody asks for again: on a machine where fresh memory is slow, whole reads take up to
// four times as long with it.
//
// GDAL_NUM_THREADS is 1 during the package's calls, whatever the environment says, but for the ways
// that ask for GDAL's threads: before 3.7 these crash on files that store their bands apart, and
// are refused where a file may be one or have one inside. GTIFF_IGNORE_READ_ERRORS is NO, by which
// damage would go unnoticed.
//
// Four options for files on the network hold during its calls, too, unless they are set:
// GDAL_HTTP_TIMEOUT (6 s), GDAL_HTTP_CONNECTTIMEOUT (4 s), GDAL_HTTP_MAX_RETRY (0) and
// GDAL_HTTP_RETRY_DELAY (0.5 s). [RemoteOptions] tells them. The program's own use of GDAL sees
// none of these.
//
// # Files on the network
//
// Addresses go where paths do, and so do GDAL's own names for files on the network, such as
// /vsis3/bucket/a.tif. Each call reads what the server has then, and nothing of what an earlier one
// has fetched; its connections end with it, so that many files are better read by one call. Errors
// that lie with the server or the way to it are a [RemoteError]. A file that is changed on the
// server while it is read is an error, as one of this machine, where the server tells a time of
// change, a tag or a length. The environment's proxy is not asked for servers on this machine.
//
// Errors, descriptions and the parameters of workloads show addresses without a login and without
// the values of the query, unless these are numbers or names of files: signed addresses and
// services have their keys there. The field Path of [FileResult] and [BlockError] is the path as it
// was given.
//
// # What cannot be cancelled
//
// A call of GDAL that waits for a server ends with the answer or after GDAL_HTTP_TIMEOUT, and no
// context ends it sooner. Plain functions, and the tasks of most jobs, do not wait for it when
// their context is done: it goes on by itself. These do wait: [Inspect]; [NewJob], which opens all
// files, one after another; [Job.Finish], where it asks the server once more; and the tasks of
// [ByArrays], since the memory that they write to is freed at the end. With [OneLocked] and [OneSafe]
// one task opens the file, and the other tasks wait for it. Local files are read in parts of at most
// some megabytes, or a block, and a context is looked at between them.
//
// # Threads
//
// A GDAL dataset may be used by one thread at a time (https://gdal.org/user/multithreading.html),
// and a mutex around it only hides that nothing then runs at once. So every task here has a handle
// of its own while it reads. No function takes or gives an open dataset, so none can be used by two
// goroutines, or after it was closed.
package raster
