#define _GNU_SOURCE // for stat64, which is GDAL's VSIStatBufL
#include "remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_http.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

// keptPut sets an option of GDAL for this thread, and keeps what was there.
void keptPut(kept *k, const char *key, const char *value) {
	const char *old = CPLGetThreadLocalConfigOption(key, NULL);
	k->changed = 1;
	k->value = old ? CPLStrdup(old) : NULL;
	CPLSetThreadLocalConfigOption(key, value);
}

void keptPutBack(kept *k, const char *key) {
	if (!k->changed)
		return;
	CPLSetThreadLocalConfigOption(key, k->value);
	CPLFree(k->value);
	k->changed = 0;
	k->value = NULL;
}

// options are those that remoteEnter may set. The first of them have values from Go.
static struct {
	const char *key, *value;
	int         far; // the flag that wants it
} options[REMOTE_OPTIONS] = {
	{"GDAL_HTTP_PROXY", "", LOOPBACK},
	{"CPL_VSIL_CURL_USE_HEAD", "NO", NO_HEAD},
};
static int known = 2;

// remoteDefault adds an option with the value that it has unless the user has set it.
// It is called before the first read.
void remoteDefault(const char *key, const char *value) {
	if (known < REMOTE_OPTIONS) {
		options[known].key = CPLStrdup(key);
		options[known].value = CPLStrdup(value);
		options[known++].far = FAR;
	}
}

// remoteEnter sets for this thread what the environment, GDAL's own file of settings or the
// program has not set, until remoteLeave: the program's own use of GDAL stays as it is.
void remoteEnter(kept *k, int far) {
	for (int i = 0; far && i < known; i++)
		if (far & options[i].far && !CPLGetConfigOption(options[i].key, NULL))
			keptPut(&k[i], options[i].key, options[i].value);
}

void remoteLeave(kept *k) {
	for (int i = 0; i < known; i++)
		keptPutBack(&k[i], options[i].key);
}

// unheard is the error handler of calls of which nobody wants to hear; GDAL's own still tells what CPL_DEBUG asks for.
static void CPL_STDCALL unheard(CPLErr class, CPLErrorNum num, const char *msg) {}

// begin and end stand around calls that fail without a word.
static void begin(kept *k, int far) {
	memset(k, 0, REMOTE_OPTIONS * sizeof *k);
	CPLPushErrorHandler(unheard);
	remoteEnter(k, far);
}

static void end(kept *k) {
	remoteLeave(k);
	CPLPopErrorHandler();
	CPLErrorReset();
}

static size_t start(void *p, size_t size, size_t n, void *to) {
	answer *a = to;
	size_t all = size * n, room = sizeof a->start - a->size;
	if (all > room)
		all = room;
	memcpy(a->start + a->size, p, all);
	a->size += all;
	return a->size < sizeof a->start ? size * n : 0; // 0 ends the transfer
}

// remoteAsk asks for the first bytes of a file, as GDAL's reader does: with its logins, proxies and certificates.
void remoteAsk(const char *url, int far, double seconds, answer *a) {
	kept k[REMOTE_OPTIONS], zip = {0};
	char timeout[64], range[64];
	snprintf(timeout, sizeof timeout, "TIMEOUT=%g", seconds);
	snprintf(range, sizeof range, "HEADERS=Range: bytes=0-%zu", sizeof a->start - 1);
	char *opts[] = {timeout, range, "MAX_RETRY=0", NULL};
	memset(a, 0, sizeof *a);
	a->length = -1;
	begin(k, far);
	keptPut(&zip, "CPL_CURL_GZIP", "NO"); // the reader does not ask for it either
	CPLHTTPResult *r = CPLHTTPFetchEx(url, opts, NULL, NULL, start, a);
	keptPutBack(&zip, "CPL_CURL_GZIP");
	end(k);
	if (!r)
		return;
	const char *total = CSLFetchNameValue(r->papszHeaders, "Content-Range");
	if (r->pszErrBuf && sscanf(r->pszErrBuf, "HTTP error code : %d", &a->status) == 1) {
	} else if (r->nStatus == 0 || a->size == sizeof a->start) {
		a->status = total ? 206 : 200;
	}
	a->parts = total != NULL;
	if (total && (total = strchr(total, '/')))
		sscanf(total + 1, "%lld", &a->length);
	else if ((total = CSLFetchNameValue(r->papszHeaders, "Content-Length")))
		sscanf(total, "%lld", &a->length);
	snprintf(a->kind, sizeof a->kind, "%s", r->pszContentType ? r->pszContentType : "");
	snprintf(a->encoding, sizeof a->encoding, "%s", CSLFetchNameValueDef(r->papszHeaders, "Content-Encoding", ""));
	CPLHTTPDestroyResult(r);
}

// remoteMark tells what GDAL has seen of a file: its length at first, its time of change in the last answer.
// With ask it sends a request for that.
void remoteMark(const char *path, int far, int ask, mark *m) {
	kept k[REMOTE_OPTIONS];
	VSIStatBufL s;
	memset(m, 0, sizeof *m);
	begin(k, far);
	if (ask) {
		char **headers = VSIGetFileMetadata(path, "HEADERS", NULL);
		snprintf(m->tag, sizeof m->tag, "%s", CSLFetchNameValueDef(headers, "ETag", ""));
		snprintf(m->date, sizeof m->date, "%s", CSLFetchNameValueDef(headers, "Date", ""));
		CSLDestroy(headers);
	}
	if (VSIStatExL(path, &s, VSI_STAT_CACHE_ONLY) == 0) {
		m->known = 1;
		m->size = (long long)s.st_size;
		m->changed = (long long)s.st_mtime;
	}
	end(k);
}
