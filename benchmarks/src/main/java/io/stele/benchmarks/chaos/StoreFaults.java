package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import io.stele.testing.FaultProxy.Fault;
import io.stele.testing.FaultProxy.Faults;
import io.stele.testing.FaultProxy.Request;
import java.util.Optional;
import java.util.Random;

/**
 * The source of faults for the proxy before the S3 server, by the current {@link Weather} and a
 * seed. Safe for use by many threads.
 */
final class StoreFaults implements Faults {
    private final Findings findings;
    private final Random random;
    private volatile Weather weather = Weather.CALM;

    StoreFaults(long seed, Findings findings) {
        this.random = new Random(seed);
        this.findings = requireNonNull(findings, "findings is null");
    }

    void turn(Weather next) {
        weather = requireNonNull(next, "next is null");
    }

    @Override
    public Optional<Fault> next(Request request) {
        findings.count("requests");
        Weather present = weather;
        if (present.kind() == Weather.Kind.CALM || random.nextDouble() >= present.share()) {
            return Optional.empty();
        }
        Fault fault = fault(present.kind(), random.nextInt(1_000));
        findings.count("fault " + fault.getClass().getSimpleName());
        return Optional.of(fault);
    }

    private static Fault fault(Weather.Kind kind, int chance) {
        return switch (kind) {
            case CALM -> throw new IllegalStateException("Expected no fault in calm weather");
            case ERRORS ->
                    switch (chance % 3) {
                        case 0 -> new Fault.Answers(503, "SlowDown");
                        case 1 -> new Fault.Answers(500, "InternalError");
                        default -> new Fault.AnswersAfterwards(500, "InternalError");
                    };
            case LATENCY -> new Fault.Waits(2 * chance);
            case CUTS ->
                    switch (chance % 8) {
                        case 0, 1, 2 -> new Fault.LosesAnswer();
                        case 3 -> new Fault.Stalls();
                        default -> new Fault.CutsBody(chance);
                    };
            case LATE -> new Fault.Delays();
            case OUTAGE -> new Fault.Refuses();
        };
    }
}
