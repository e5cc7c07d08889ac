package io.stele.objectstore.retrieval;

import java.util.concurrent.atomic.LongAdder;

/** The counters of a download manager since its creation. Thread-safe. */
final class RetrievalCounters {
    final LongAdder requests = new LongAdder();
    final LongAdder bytes = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder failures = new LongAdder();
    final LongAdder hedges = new LongAdder();
    final LongAdder hedgeWins = new LongAdder();
    final LongAdder hedgesRefused = new LongAdder();
    final LongAdder sharedReads = new LongAdder();
}
