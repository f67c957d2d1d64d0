package localhost

import (
	"net/http"
	"time"
)

// Wait waits for d and reports false where the client went away or the server
// is being closed before that.
func Wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return r.Context().Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
