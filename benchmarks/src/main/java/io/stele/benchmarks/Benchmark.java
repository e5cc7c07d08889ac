package io.stele.benchmarks;

/** A workload that measures Stele beside a peer or baseline in the same run. */
public interface Benchmark {
    /** The word behind {@code bin/stele bench}. */
    String name();

    /** One line for {@code bin/stele help}. */
    String description();

    /** Whether it takes {@code --scale}. */
    default boolean isScalable() {
        return false;
    }

    /** Whether a target that is missed is a failure. */
    default boolean isGate() {
        return false;
    }

    /** Runs the workload and returns every number; throws when the workload's own checks fail. */
    BenchmarkReport run(BenchmarkOptions options) throws Exception;
}
