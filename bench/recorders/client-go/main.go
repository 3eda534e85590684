// Records the input of a comparison with a recorder of client-go, or lists what is stored: see ../main.ts.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
)

var (
	kubeconfig = flag.String("kubeconfig", "", "the kubeconfig of the server")
	mode       = flag.String("mode", "events", "events or record: the package of the recorder; list: lists the events of the namespace")
	namespace  = flag.String("namespace", "default", "the namespace of the objects")
	objects    = flag.Int("objects", 50, "how many objects the events are about")
	notes      = flag.Int("notes", 1, "how many different notes there are about each object")
	burst      = flag.Int("burst", 10000, "events that are recorded at once")
	bursts     = flag.Int("bursts", 1, "how many bursts")
	pause      = flag.Duration("pause", 0, "between bursts")
	settle     = flag.Duration("settle", 15*time.Second, "ends when there was no request for so long; attempts are 10 s apart")
	limit      = flag.Duration("limit", 3*time.Minute, "ends after this time at the latest")
)

// counting notes when the last request was made or answered.
type counting struct {
	next     http.RoundTripper
	began    time.Time
	active   atomic.Int64
	requests atomic.Int64
	last     atomic.Int64
}

func (c *counting) RoundTrip(request *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	c.active.Add(1)
	response, err := c.next.RoundTrip(request)
	c.active.Add(-1)
	c.last.Store(int64(time.Since(c.began)))
	return response, err
}

type recordFunc func(object *corev1.Pod, note string)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	flag.Parse()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	check(err)
	// Without these, client-go makes five requests a second.
	config.QPS = -1
	transport := &counting{began: time.Now()}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		transport.next = next
		return transport
	})
	client, err := kubernetes.NewForConfig(config)
	check(err)
	if *mode == "list" {
		list(client)
		return
	}
	recordEvent, stop := recorder(client)
	for number, from := 0, 0; number < *bursts; number++ {
		for end := from + *burst; from < end; from++ {
			object := from % *objects
			recordEvent(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{
				Name:      fmt.Sprintf("pod-%d", object),
				Namespace: *namespace,
				UID:       types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", object)),
			}}, fmt.Sprintf("note %d", from / *objects % *notes))
		}
		time.Sleep(*pause)
	}
	recordedMs := time.Since(transport.began).Milliseconds()
	for end := time.Now().Add(*limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		idle := time.Since(transport.began) - time.Duration(transport.last.Load())
		if transport.active.Load() == 0 && idle > *settle {
			break
		}
	}
	lastMs := time.Duration(transport.last.Load()).Milliseconds()
	stop()
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	check(json.NewEncoder(os.Stdout).Encode(map[string]int64{
		"recordedMs": recordedMs,
		"lastMs":     lastMs,
		"cpuMs":      cpu.Milliseconds(),
		"requests":   transport.requests.Load(),
		"rssMb":      usage.Maxrss / 1024,
	}))
}

func recorder(client kubernetes.Interface) (recordFunc, func()) {
	if *mode == "record" {
		broadcaster := record.NewBroadcaster()
		broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
		recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "comparison"})
		return func(object *corev1.Pod, note string) {
			recorder.Event(object, corev1.EventTypeNormal, "Tested", note)
		}, broadcaster.Shutdown
	}
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	check(broadcaster.StartRecordingToSinkWithContext(context.Background()))
	recorder := broadcaster.NewRecorder(scheme.Scheme, "example.com/comparison")
	return func(object *corev1.Pod, note string) {
		recorder.Eventf(object, nil, corev1.EventTypeNormal, "Tested", "Test", "%s", note)
	}, broadcaster.Shutdown
}

// list prints how many events there are, and the sum of their counts, as a client of Go reads them.
func list(client kubernetes.Interface) {
	found, err := client.EventsV1().Events(*namespace).List(context.Background(), metav1.ListOptions{})
	check(err)
	sum := int64(0)
	for _, event := range found.Items {
		switch {
		case event.Series != nil:
			sum += int64(event.Series.Count)
		case event.DeprecatedCount > 0:
			sum += int64(event.DeprecatedCount)
		default:
			sum++
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]int64{"objects": int64(len(found.Items)), "sum": sum}))
}
