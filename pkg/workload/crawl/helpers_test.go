package crawl

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"overlap/pkg/sched"
)

// parentVariable makes the test program a parent of a site that is to be killed.
const parentVariable = "CRAWL_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(parentVariable) != "" {
		p, err := Start(context.Background(), Site{Pages: 1})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(p.URL())
		time.Sleep(time.Minute)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// workload is lab.Workload, which this package does not import.
type workload interface {
	Spec() (string, map[string]string)
	Unit() string
	Tasks(int) ([]sched.Task, func() (string, error), error)
}

var _ workload = Pages{}

// schedulers are the ways of running tasks that answers are compared between.
func schedulers() []sched.Scheduler {
	return []sched.Scheduler{sched.Sequential(), sched.Pool(3), sched.Goroutines(), sched.Threads()}
}

func serve(t testing.TB, s Site) *Server {
	t.Helper()
	server, err := Serve(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

func testClient(t testing.TB, l limits) *client {
	t.Helper()
	c := newClient(l)
	t.Cleanup(c.close)
	return c
}

// answers is whether a site answers at all.
func answers(url string) bool {
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(url + "/")
	if err != nil {
		return false
	}
	response.Body.Close()
	return true
}

// most counts how many are within at once.
type most struct {
	mu       sync.Mutex
	now, max int
}

func (m *most) enter() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now++
	m.max = max(m.max, m.now)
}

func (m *most) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now--
}
