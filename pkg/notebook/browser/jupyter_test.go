//go:build browser

package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"overlap/pkg/internal/home"
)

// token is what a page needs to be let in, and nothing that is saved may hold.
const token = "d3f1a4c05e6b4b7fa0a1c2d3e4f50617"

// A server is a Jupyter on loopback, with all its files in a folder of the test.
type server struct {
	url       string // with a slash at its end
	notebooks string // the folder that it shows
	out       string // where cells save what they make
}

// startJupyter starts Jupyter below a path of its address, "/" or longer. It
// ends with the test, as do its kernels.
func startJupyter(t *testing.T, path string) server {
	t.Helper()
	root, err := home.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := server{notebooks: filepath.Join(dir, "notebooks"), out: filepath.Join(dir, "out")}
	for _, d := range []string{s.notebooks, s.out, filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	port := freePort(t)
	s.url = fmt.Sprintf("http://127.0.0.1:%d%s", port, path)
	args := []string{"-m", "notebook", "--no-browser", "--ip=127.0.0.1", fmt.Sprintf("--port=%d", port),
		"--NotebookApp.port_retries=0", "--NotebookApp.token=" + token, "--NotebookApp.base_url=" + path}
	if os.Getuid() == 0 {
		args = append(args, "--allow-root")
	}
	cmd := exec.Command(python(t), args...)
	cmd.Dir = s.notebooks
	// Where set-up could not write to the repository, its kernels are elsewhere.
	kernels := cmp.Or(os.Getenv("OVERLAP_JUPYTER"), filepath.Join(root, ".jupyter"))
	cmd.Env = append(os.Environ(), "JUPYTER_PATH="+filepath.Join(kernels, "headless"),
		"JUPYTER_CONFIG_DIR="+filepath.Join(dir, "config"), "JUPYTER_DATA_DIR="+filepath.Join(dir, "data"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(dir, "runtime"), "IPYTHONDIR="+filepath.Join(dir, "ipython"),
		"TMPDIR="+filepath.Join(dir, "tmp"), "OVERLAP_OUT="+s.out)
	said, err := os.Create(filepath.Join(dir, "jupyter.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		defer said.Close()
		cmd.Process.Signal(syscall.SIGTERM) // it ends its kernels first
		select {
		case <-ended:
		case <-time.After(15 * time.Second):
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
			t.Error("Jupyter did not end by itself")
		}
		if t.Failed() {
			log, _ := os.ReadFile(said.Name())
			t.Logf("Jupyter's log:\n%s", log)
		}
	})
	for {
		select {
		case <-ended:
			t.Fatal("Jupyter ended at once")
		case <-all.Done():
			t.Fatal("Jupyter did not answer")
		case <-time.After(100 * time.Millisecond):
		}
		if answer, err := http.Get(s.url + "api/status?token=" + token); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return s
			}
		}
	}
}

// python is the one that has Jupyter Notebook. Debian's comes first, as in
// scripts/lab. Where there is none the test is skipped.
func python(t *testing.T) string {
	t.Helper()
	for _, p := range []string{"/usr/bin/python3", "python3", "python"} {
		if exec.Command(p, "-c", "import notebook").Run() == nil {
			return p
		}
	}
	t.Skip("there is no Jupyter Notebook here; scripts/lab setup gets it")
	return ""
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// write leaves a notebook of these code cells, none of which was run.
func (s server) write(t *testing.T, name string, cells ...string) {
	t.Helper()
	nb := map[string]any{
		"nbformat": 4, "nbformat_minor": 5,
		"metadata": map[string]any{"kernelspec": map[string]any{"name": "overlap", "display_name": "Go (overlap)", "language": "go"}},
	}
	var list []any
	for i, source := range cells {
		list = append(list, map[string]any{"cell_type": "code", "id": fmt.Sprintf("cell-%d", i), "metadata": map[string]any{},
			"source": strings.TrimSpace(source), "outputs": []any{}, "execution_count": nil})
	}
	nb["cells"] = list
	text, err := json.Marshal(nb)
	if err == nil {
		err = os.WriteFile(filepath.Join(s.notebooks, name), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// copy leaves a copy of one of the repository's notebooks, and returns the
// places of its cells by their ids.
func (s server) copy(t *testing.T, name string) map[string]int {
	t.Helper()
	root, err := home.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "notebooks", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.notebooks, name), text, 0o644); err != nil {
		t.Fatal(err)
	}
	var nb struct{ Cells []struct{ ID string } }
	if err := json.Unmarshal(text, &nb); err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, c := range nb.Cells {
		at[c.ID] = i
	}
	return at
}

// all ends everything: what hangs does so for all tests together at most this
// long, and an interrupt by the user ends it at once.
var all context.Context
