// What the package asks of GDAL's reader of remote files.
#ifndef OVERLAP_REMOTE_H
#define OVERLAP_REMOTE_H

int remoteRetry(const char *msg);
void remoteRetries(long long *count, double *seconds);
void remoteEnter(const char *path);
void remoteLeave(const char *path);
void remoteDefault(const char *key, const char *value);

#endif
