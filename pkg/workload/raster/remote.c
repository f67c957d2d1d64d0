#include "remote.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <cpl_conv.h>

static struct {
	pthread_mutex_t lock;
	long long       count;
	double          seconds;
} retries = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

// remoteRetry counts a message of GDAL that says that a request failed and will
// be sent again, and returns whether it is one. GDAL has no other way to tell.
int remoteRetry(const char *msg) {
	const char *at = strstr(msg, "Retrying again in ");
	double seconds = 0;
	if (!at)
		return 0;
	sscanf(at, "Retrying again in %lf", &seconds);
	pthread_mutex_lock(&retries.lock);
	retries.count++;
	retries.seconds += seconds;
	pthread_mutex_unlock(&retries.lock);
	return 1;
}

void remoteRetries(long long *count, double *seconds) {
	pthread_mutex_lock(&retries.lock);
	*count = retries.count;
	*seconds = retries.seconds;
	pthread_mutex_unlock(&retries.lock);
}

// remoteDefault sets an option of GDAL for the process, unless the environment,
// GDAL's own file of settings or the program has set it.
void remoteDefault(const char *key, const char *value) {
	if (!CPLGetConfigOption(key, NULL))
		CPLSetConfigOption(key, value);
}

// remoteEnter keeps this thread's GDAL from looking for neighbours of a remote
// file, each of which takes a request, until remoteLeave. It must not be set for
// the process: the neighbours of local files matter.
void remoteEnter(const char *path) {
	if (!strncmp(path, "/vsicurl/", 9))
		CPLSetThreadLocalConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", "EMPTY_DIR");
}

void remoteLeave(const char *path) {
	if (!strncmp(path, "/vsicurl/", 9))
		CPLSetThreadLocalConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", NULL);
}
