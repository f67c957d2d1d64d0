package raster_test

import . "overlap/pkg/raster"

var (
	abandoned    = Abandoned
	combine      = Combine
	setup        = Prepare
	version      = VersionNumber
	gdalPath     = CloudPath
	config       = Setting
	setForThread = SetForThread
	forget       = Forget
	isRemote     = IsRemote
	requestLimit = RequestLimit
	room         = Room
	errClosed    = ErrClosed
	errChanged   = ErrChanged
	errReplaced  = ErrReplaced
)

const (
	askLimit         = AskLimit
	curl             = Curl
	defaultTaskBytes = DefaultTaskBytes
	firstThreads     = FirstThreads
	firstThreadSafe  = FirstThreadSafe
	tooMany          = TooMany
)
