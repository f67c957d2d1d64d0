// What the package asks of GDAL's reader of remote files.
#ifndef OVERLAP_REMOTE_H
#define OVERLAP_REMOTE_H

#include <stddef.h>

// A kept is a setting of GDAL's that a thread had before another one was put in its place.
typedef struct {
	int   changed;
	char *value;
} kept;

void keptPut(kept *k, const char *key, const char *value);
void keptPutBack(kept *k, const char *key);

// How a file is on the network.
enum {
	FAR = 1,      // reading it may take requests
	LOOPBACK = 2, // the server is this machine: no proxy is asked
	NO_HEAD = 4   // the server refuses HEAD
};

enum { REMOTE_OPTIONS = 8 };

void remoteDefault(const char *key, const char *value);
void remoteEnter(kept *k, int far);
void remoteLeave(kept *k);

// An answer is what a server sends of a file's start.
typedef struct {
	int       status;       // 0 where there is none
	long long length;       // of the file, as the answer to GET says, -1 where it does not
	int       parts;        // whether it is a part of it
	char      kind[128];    // Content-Type
	char      encoding[64]; // Content-Encoding
	char      start[512];
	size_t    size; // of start
} answer;

void remoteAsk(const char *url, int far, double seconds, answer *a);

// A mark tells whether a file is the one that it was.
typedef struct {
	int       known;
	long long size;
	long long changed; // Last-Modified, in seconds since 1970; 0 where the server does not say
	char      tag[128], date[64]; // ETag and Date, of an answer that was asked for
} mark;

void remoteMark(const char *path, int far, int ask, mark *m);

#endif
