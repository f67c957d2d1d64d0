// What the package asks of GDAL, with GDAL's messages kept for each reader.
#ifndef OVERLAP_READER_H
#define OVERLAP_READER_H

#include <stdint.h>
#include <gdal.h>
#include "remote.h"

enum { SHARED_SAFELY = 0x800 }; // GDAL_OF_THREAD_SAFE, which headers before 3.10 lack

// A reader is a dataset and what GDAL said of it. It is for one thread at a time.
typedef struct {
	GDALDatasetH ds;
	char threads[16];   // GDAL_NUM_THREADS of its calls
	int  direct;        // whether it asks for GTIFF_DIRECT_IO
	int  far;           // how it is on the network, see remote.h; 0 where it is not
	unsigned heard;     // how many failures GDAL's own threads had told before the last call
	char failed[512];   // the first failure of the last call
	char warned[2048];  // all warnings, a line each, none twice
	kept ownThreads, ownDirect, ownErrors, ownRemote[REMOTE_OPTIONS]; // the thread's own settings, during a call
} reader;

int    readerOpen(reader *r, const char *path, char **siblings, int flags);
void   readerClose(reader *r); // frees r too
void   readerEnter(reader *r); // the calls of GDAL up to readerLeave, on the same thread of the system, are as those of the functions here
void   readerLeave(reader *r);
int    readerBlocks(reader *r, const GDALRasterBandH *bands, int nbands, int x, int y, int n, char *p, size_t bytes);
CPLErr readerWindow(reader *r, GDALRasterBandH band, int x, int y, int w, int h, void *p, GDALDataType t, GSpacing line);
CPLErr readerBands(reader *r, int n, int *numbers, int x, int y, int w, int h, void *p, GDALDataType t);
void   readerNoData(GDALRasterBandH band, int *has, double *value, int64_t *whole);
void   readerPrepare(void);
void   readerQuietHDF5(void);
int    readerLost(reader *r, char *p, int n);

#endif
