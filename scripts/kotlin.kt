@file:JvmName("MainKt")

// What package sched/kotlin is a model of: see the script beside this file.
// pkg/sched/kotlin/kotlin_test.go does the same with it.

import kotlinx.coroutines.*
import java.util.Collections
import java.util.concurrent.atomic.AtomicInteger

/** The number in "DefaultDispatcher-worker-7 @coroutine#3". */
fun worker(): Int = Regex("worker-(\\d+)").find(Thread.currentThread().name)!!.groupValues[1].toInt()

class Gauge {
    private val now = AtomicInteger()
    val most = AtomicInteger()
    fun <T> during(f: () -> T): T {
        val n = now.incrementAndGet()
        most.accumulateAndGet(n) { a, b -> maxOf(a, b) }
        try { return f() } finally { now.decrementAndGet() }
    }
}

fun tasks(name: String, dispatcher: CoroutineDispatcher, n: Int, millis: Long) {
    val numbers = Collections.synchronizedSet(sortedSetOf<Int>())
    val gauge = Gauge()
    val start = System.nanoTime()
    runBlocking {
        repeat(n) {
            launch(dispatcher) {
                gauge.during { numbers.add(worker()); Thread.sleep(millis) }
            }
        }
    }
    val took = (System.nanoTime() - start) / 1_000_000
    println("$name: $n tasks of $millis ms: $took ms, ${numbers.size} workers, numbers ${numbers.first()} to ${numbers.last()}, in flight at most ${gauge.most}")
}

fun switches(n: Int, millis: Long) {
    val kept = AtomicInteger()
    val back = AtomicInteger()
    val gauge = Gauge()
    runBlocking {
        repeat(n) {
            launch(Dispatchers.Default) {
                val before = Thread.currentThread()
                val on = withContext(Dispatchers.IO) {
                    gauge.during { Thread.sleep(millis) }
                    Thread.currentThread()
                }
                if (on === before) kept.incrementAndGet()
                if (Thread.currentThread() === on) back.incrementAndGet()
            }
        }
    }
    println("switch: $n from default to io and back, $millis ms on io: $kept kept their worker, ${n - kept.get()} moved; $back kept it on the way back; in flight on io at most ${gauge.most}")
}

fun main() {
    println("Kotlin ${KotlinVersion.CURRENT}, ${Runtime.getRuntime().availableProcessors()} CPUs, Java ${System.getProperty("java.version")}")
    tasks("default", Dispatchers.Default, 50, 20)
    tasks("io", Dispatchers.IO, 50, 20)
    tasks("io", Dispatchers.IO, 300, 100)
    switches(60, 20)
    switches(500, 20)
}
