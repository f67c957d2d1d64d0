#define _GNU_SOURCE // RTLD_DEFAULT

#include "reader.h"

#include <dlfcn.h>
#include <pthread.h>

// HDF5, which reads NetCDF for GDAL, writes what it looks for and does not find to standard error, on each thread
// anew, until a call on that thread stops it. GDAL stops it on one.
static int (*setAuto)(long long stack, void *function, void *data);

static void find(void) { *(void **)&setAuto = dlsym(RTLD_DEFAULT, "H5Eset_auto2"); }

// readerQuietHDF5 keeps HDF5, if it is there, from writing to standard error on this thread.
void readerQuietHDF5(void) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static _Thread_local int hushed;
	if (hushed)
		return;
	hushed = 1;
	pthread_once(&once, find);
	if (setAuto)
		setAuto(0, NULL, NULL); // the stack of errors that is each thread's own
}
