package io.stele.connector.sidecar;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.api.maintenance.RunJobRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * The wait of a statement for a job of the sidecar, by short requests in turn, for a job of any
 * length. Each request is repeated while the sidecar is unavailable; a restarted sidecar starts the
 * job again. Immutable.
 */
final class JobWaiting {
    private final Repetition repetition;
    private final Duration patience;
    private final long waitMillis;

    /**
     * @param patience how long each request is repeated while the sidecar is unavailable or full
     * @param wait how long one request waits for the job in the sidecar
     */
    JobWaiting(Repetition repetition, Duration patience, Duration wait) {
        this.repetition = requireNonNull(repetition, "repetition is null");
        this.patience = requireNonNull(patience, "patience is null");
        this.waitMillis = wait.toMillis();
    }

    /**
     * Runs a job, or joins one that runs; returns it when it has succeeded.
     *
     * @param ask sends a request
     * @throws SteleException the failure of the job or of the sidecar
     */
    JobStatus run(RunJobRequest request, Function<RunJobRequest, JobStatus> ask) {
        Attempts attempts = new Attempts(request, ask);
        while (true) {
            JobStatus status = repetition.run(attempts::next, failure -> patience);
            if (status.state().hasEnded()) {
                return status;
            }
        }
    }

    /** Requests for a job, or for a new one after a failure, which may be temporary. */
    private final class Attempts {
        private final RunJobRequest request;
        private final Function<RunJobRequest, JobStatus> ask;
        private Optional<String> jobId = Optional.empty();

        private Attempts(RunJobRequest request, Function<RunJobRequest, JobStatus> ask) {
            this.request = requireNonNull(request, "request is null");
            this.ask = requireNonNull(ask, "ask is null");
        }

        private JobStatus next() {
            JobStatus status = ask.apply(request.waiting(jobId, waitMillis));
            if (status.failure().isPresent()) {
                jobId = Optional.empty();
                throw status.failure().get();
            }
            jobId = Optional.of(status.id());
            return status;
        }
    }
}
