// Package fileserver serves the files of a folder over HTTP on this machine, with a latency of
// one's choice: a far store of files, without the network.
//
// It answers GET and HEAD with ranges of bytes, as stores of rasters do, waits [Files.Latency]
// before each answer, and counts requests, bytes, and how many requests were waiting at once.
// [Start] serves in a process of its own, so that serving does not use the CPU time that is
// measured; [Serve] does so in this process, for tests. Both listen on 127.0.0.1 only.
//
// # Trouble
//
// With [Files.Trouble] these paths go wrong, each in its own way; F is a name in the folder:
//
//	/status/CODE/F  answers with a status, such as 404
//	/flaky/N/F      answers the first N requests with 503 (Service Unavailable)
//	/html/F         answers 200 with a web page, as a login page does
//	/hang/F         accepts and never answers
//	/slow/F         sends a byte every 50 ms
//	/cut/F          breaks off in the middle of a part that does not begin the file
//	/whole/F        sends the whole file, whatever part of it is asked for
//	/nohead/F       refuses HEAD with 403 (Forbidden)
//	/length/F       says in its answer to HEAD that the file is half as long as it is
//	/gzip/F         sends the file compressed (Content-Encoding: gzip)
//	/moved/F        sends on to F
//	/circle/F       sends on to itself
//	/nodate/F       does not say when the file was changed, and has an ETag of what it holds
package fileserver
