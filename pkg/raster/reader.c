#include "reader.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>

// lost is the last failure that came from a thread of GDAL's own, where no
// reader listens, and losses how many there were.
static char lost[512];
static unsigned losses;
static pthread_mutex_t lostLock = PTHREAD_MUTEX_INITIALIZER;

static int ownThreads(const reader *r) { return strcmp(r->threads, "1") != 0; }

static void CPL_STDCALL hear(CPLErr class, CPLErrorNum num, const char *msg) {
	if (class < CE_Failure)
		return;
	pthread_mutex_lock(&lostLock);
	snprintf(lost, sizeof lost, "%s", msg);
	losses++;
	pthread_mutex_unlock(&lostLock);
}

// readerLost gives the last failure that threads of GDAL's own have told since
// the reader's last call began, if its calls have such threads.
int readerLost(reader *r, char *p, int n) {
	int found;
	pthread_mutex_lock(&lostLock);
	found = ownThreads(r) && losses != r->heard;
	if (found)
		snprintf(p, n, "%s", lost);
	pthread_mutex_unlock(&lostLock);
	return found;
}

// keep is GDAL's error handler during our calls.
static void CPL_STDCALL keep(CPLErr class, CPLErrorNum num, const char *msg) {
	reader *r = (reader *)CPLGetErrorHandlerUserData();
	if (strstr(msg, "Retrying again in ")) // of a request that failed and is sent once more
		return;
	if (class >= CE_Failure) {
		if (!r->failed[0])
			snprintf(r->failed, sizeof r->failed, "%s", msg);
	} else if (class == CE_Warning && !strstr(r->warned, msg)) {
		size_t n = strlen(r->warned);
		snprintf(r->warned + n, sizeof r->warned - n, "%s\n", msg);
	}
}

static void listen(reader *r) {
	readerQuietHDF5();
	r->failed[0] = 0;
	CPLPushErrorHandlerEx(keep, r);
}

// enter is listen for calls in which GDAL may open a file or start threads.
// The settings are this thread's alone, so that they go before the
// environment's and nobody else's reads change.
static void enter(reader *r) {
	listen(r);
	if (ownThreads(r)) {
		pthread_mutex_lock(&lostLock);
		r->heard = losses;
		pthread_mutex_unlock(&lostLock);
	}
	keptPut(&r->ownThreads, "GDAL_NUM_THREADS", r->threads);
	keptPut(&r->ownErrors, "GTIFF_IGNORE_READ_ERRORS", "NO");
	if (r->direct)
		keptPut(&r->ownDirect, "GTIFF_DIRECT_IO", "YES");
	if (r->far)
		remoteEnter(r->ownRemote, r->far);
}

static void leave(reader *r) {
	keptPutBack(&r->ownThreads, "GDAL_NUM_THREADS");
	keptPutBack(&r->ownErrors, "GTIFF_IGNORE_READ_ERRORS");
	keptPutBack(&r->ownDirect, "GTIFF_DIRECT_IO");
	if (r->far)
		remoteLeave(r->ownRemote);
	CPLPopErrorHandler();
}

void readerEnter(reader *r) { enter(r); }
void readerLeave(reader *r) { leave(r); }

// readerOpen opens a dataset. GDAL takes siblings, unless it is NULL, for the
// names in the file's folder, and does not read the folder, which may be large,
// for each handle. The neighbours of a remote file it does not look for at all: each takes a request.
int readerOpen(reader *r, const char *path, char **siblings, int flags) {
	char option[32];
	kept folder = {0};
	snprintf(option, sizeof option, "@NUM_THREADS=%s", r->threads); // @: only for drivers that have it
	const char *options[] = {option, NULL};
	enter(r);
	if (r->far && siblings)
		keptPut(&folder, "GDAL_DISABLE_READDIR_ON_OPEN", "EMPTY_DIR");
	r->ds = GDALOpenEx(path, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR | flags, NULL, options, (const char *const *)siblings);
	keptPutBack(&folder, "GDAL_DISABLE_READDIR_ON_OPEN");
	leave(r);
	return r->ds != NULL;
}

void readerClose(reader *r) {
	if (r->ds) {
		listen(r);
		GDALClose(r->ds);
		CPLPopErrorHandler();
	}
	free(r);
}

// readerBlocks reads n blocks, one below the other, of each band, as the file
// stores them, past GDAL's block cache. All blocks of the first band come first,
// one behind the other. Where blocks hold all bands, GDAL keeps the last one
// decoded, so the bands of a block are read before the next. It returns how many
// blocks could be read of all bands.
int readerBlocks(reader *r, const GDALRasterBandH *bands, int nbands, int x, int y, int n, char *p, size_t bytes) {
	int i = 0, good = 1;
	enter(r);
	while (i < n && good) {
		for (int b = 0; b < nbands && good; b++)
			good = GDALReadBlock(bands[b], x, y + i, p + ((size_t)b * n + i) * bytes) == CE_None;
		i += good;
	}
	leave(r);
	return i;
}

CPLErr readerWindow(reader *r, GDALRasterBandH band, int x, int y, int w, int h, void *p, GDALDataType t, GSpacing line) {
	enter(r);
	CPLErr err = GDALRasterIOEx(band, GF_Read, x, y, w, h, p, w, h, t, 0, line, NULL);
	leave(r);
	return err;
}

// readerBands reads a window of n bands, one behind the other.
CPLErr readerBands(reader *r, int n, int *numbers, int x, int y, int w, int h, void *p, GDALDataType t) {
	enter(r);
	CPLErr err = GDALDatasetRasterIOEx(r->ds, GF_Read, x, y, w, h, p, w, h, t, n, numbers, 0, 0, 0, NULL);
	leave(r);
	return err;
}

// readerNoData gives the nodata value as a double and, for 64-bit integers, as
// its bits.
void readerNoData(GDALRasterBandH band, int *has, double *value, int64_t *whole) {
	*whole = 0;
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 5, 0)
	GDALDataType t = GDALGetRasterDataType(band);
	if (t == GDT_Int64) {
		*whole = GDALGetRasterNoDataValueAsInt64(band, has);
		*value = *whole;
		return;
	}
	if (t == GDT_UInt64) {
		uint64_t v = GDALGetRasterNoDataValueAsUInt64(band, has);
		*whole = (int64_t)v;
		*value = v;
		return;
	}
#endif
	*value = GDALGetRasterNoDataValue(band, has);
}

// readerPrepare keeps GDAL from writing to standard error.
void readerPrepare(void) { CPLSetErrorHandler(hear); }
