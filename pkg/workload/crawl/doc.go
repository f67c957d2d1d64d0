// Package crawl is work that mostly waits: it fetches the pages of a web site and counts what is on
// them. It is the work of the first published experiment (data/published.csv), which makes a few
// tens of simple requests.
//
// A [Site] is a small web site made from a seed, with latencies, page sizes, links and failures of
// one's choice. [Start] serves it in a process of its own, so that serving does not use the CPU
// time that is measured; [Serve] does so in this process, for tests. Both listen on 127.0.0.1 only.
//
// [Pages] cuts the fetching of n pages into n tasks. [ExpectedOf] says how long it should take.
//
// # Failures
//
// What goes wrong with a single page (a status that is not 2xx, a timeout, a broken connection, a
// page that is too large) is counted and ends nothing. Where not one page was answered there is no
// work to measure, and that is an error.
//
// # Bounds
//
// A fetch ends after 5 seconds, reads no more than 1 MiB, and at most 256 are under way at once. A
// crawler only fetches from loopback addresses: many laptops that fetch as fast as they can do no
// site of others a favour.
package crawl
