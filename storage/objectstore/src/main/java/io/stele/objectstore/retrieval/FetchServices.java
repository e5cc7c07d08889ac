package io.stele.objectstore.retrieval;

import static java.util.Objects.requireNonNull;

/** The services and limits that all fetches of one download manager share. Thread-safe. */
final class FetchServices {
    /** The number of largest requests whose bytes the first hedges of a process may cost. */
    private static final long HEDGE_ALLOWANCE_REQUESTS = 2;

    final RangeSource source;
    final RetrievalRuntime runtime;
    final RetryPolicy retries;
    final LatencyHistory history = new LatencyHistory();
    final ThroughputMeter meter;
    final InFlightModel model;
    final HedgeBudget budget;
    final BufferPool hedgeBuffers;
    final BufferPool bulkBuffers;
    final Admission admission;
    final RetrievalCounters counters = new RetrievalCounters();

    FetchServices(RangeSource source, RetrievalOptions options, RetrievalRuntime runtime) {
        this.source = requireNonNull(source, "source is null");
        this.runtime = requireNonNull(runtime, "runtime is null");
        this.retries = options.retries();
        long now = runtime.nanoTime().getAsLong();
        meter = new ThroughputMeter(now);
        model =
                new InFlightModel(
                        options.minRequests(),
                        options.maxRequests(),
                        Math.clamp(
                                options.maxRequests() / 4,
                                options.minRequests(),
                                options.maxRequests()),
                        options.bytesPerSecond());
        budget =
                new HedgeBudget(
                        options.hedgeShare(),
                        HEDGE_ALLOWANCE_REQUESTS * options.planner().maxRequestBytes());
        hedgeBuffers = new BufferPool(options.hedgeBufferBytes());
        bulkBuffers = new BufferPool(options.bulkBufferBytes());
        admission =
                new Admission(
                        model::limit,
                        options.maxRequests(),
                        options.maxBytesInFlight(),
                        new BandwidthLimit(options.bytesPerSecond(), now),
                        runtime.nanoTime(),
                        runtime.timers(),
                        runtime.executor());
    }

    long now() {
        return runtime.nanoTime().getAsLong();
    }

    /** A request has succeeded. */
    void learn(RequestSample sample) {
        if (history.add(sample)) {
            history.usual().ifPresent(usual -> model.update(usual, meter.bytesPerSecond(now())));
        }
    }

    RetrievalStatistics statistics() {
        LatencyFit fit = model.least();
        return new RetrievalStatistics(
                counters.requests.sum(),
                counters.bytes.sum(),
                counters.retries.sum(),
                counters.failures.sum(),
                counters.hedges.sum(),
                counters.hedgeWins.sum(),
                counters.hedgesRefused.sum(),
                budget.wastedBytes(),
                counters.sharedReads.sum(),
                admission.requests(),
                admission.bytes(),
                admission.waiting(),
                model.limit(),
                fit.baseNanos() / 1e6,
                fit.nanosPerByte() * (1 << 20) / 1e6,
                hedgeBuffers.allocatedBytes() + bulkBuffers.allocatedBytes());
    }
}
