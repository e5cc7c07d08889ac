package io.stele.connector.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.maintenance.JobKind;
import io.stele.protocol.api.maintenance.JobState;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.api.maintenance.RunJobRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** How statements wait for jobs, with a sidecar that answers as it is told. */
final class TestJobWaiting {
    private static final RunJobRequest COMPACT =
            RunJobRequest.of(JobKind.COMPACT, TableRequest.of("s", "t"));

    private final Deque<Supplier<JobStatus>> answers = new ArrayDeque<>();
    private final List<Optional<String>> asked = new ArrayList<>();
    private long now;
    private final JobWaiting waiting =
            new JobWaiting(
                    new Repetition(() -> now, nanos -> now += nanos),
                    Duration.ofMinutes(1),
                    Duration.ofSeconds(10));

    private JobStatus run() {
        return waiting.run(
                COMPACT,
                request -> {
                    assertThat(request.kind()).isEqualTo(JobKind.COMPACT);
                    assertThat(request.waitMillis()).isEqualTo(10_000);
                    asked.add(request.jobId());
                    return answers.remove().get();
                });
    }

    @Test
    void aLongJobIsAskedForByItsId() {
        for (int i = 0; i < 1_000; i++) {
            answers.add(() -> status("a-1", JobState.RUNNING, Optional.empty()));
        }
        answers.add(() -> status("a-1", JobState.FINISHED, Optional.empty()));
        assertThat(run().state()).isEqualTo(JobState.FINISHED);
        assertThat(asked).hasSize(1_001).startsWith(Optional.empty(), Optional.of("a-1"));
        assertThat(asked.subList(1, asked.size())).containsOnly(Optional.of("a-1"));
    }

    @Test
    void aSidecarThatIsAwayIsAskedAgain() {
        answers.add(() -> status("a-1", JobState.RUNNING, Optional.empty()));
        answers.add(() -> fail(ErrorCode.UNAVAILABLE));
        answers.add(() -> fail(ErrorCode.UNAVAILABLE));
        answers.add(() -> status("b-1", JobState.RUNNING, Optional.empty())); // another process
        answers.add(() -> status("b-1", JobState.FINISHED, Optional.empty()));
        assertThat(run().id()).isEqualTo("b-1");
        assertThat(asked)
                .containsExactly(
                        Optional.empty(),
                        Optional.of("a-1"),
                        Optional.of("a-1"),
                        Optional.of("a-1"),
                        Optional.of("b-1"));
    }

    @Test
    void aJobThatEndsWithItsSidecarIsBegunAnew() {
        answers.add(() -> status("a-1", JobState.RUNNING, Optional.empty()));
        answers.add(() -> status("a-1", JobState.FAILED, Optional.of(ErrorCode.UNAVAILABLE)));
        answers.add(() -> status("b-1", JobState.FINISHED, Optional.empty()));
        assertThat(run().id()).isEqualTo("b-1");
        assertThat(asked).containsExactly(Optional.empty(), Optional.of("a-1"), Optional.empty());
    }

    @Test
    void aJobThatFailsOrIsCancelledIsNotBegunAnew() {
        answers.add(() -> status("a-1", JobState.RUNNING, Optional.empty()));
        answers.add(() -> status("a-1", JobState.CANCELLED, Optional.of(ErrorCode.CANCELLED)));
        assertThatThrownBy(this::run)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.CANCELLED))
                .hasMessage("what it says");
        answers.add(() -> status("a-2", JobState.FAILED, Optional.of(ErrorCode.STORE_FAILED)));
        assertThatThrownBy(this::run).hasMessage("what it says");
        assertThat(answers).isEmpty();
    }

    @Test
    void patienceIsThatOfEachRequest() {
        for (int i = 0; i < 10; i++) {
            answers.add(
                    () -> {
                        now += Duration.ofSeconds(59).toNanos();
                        return fail(ErrorCode.UNAVAILABLE);
                    });
            answers.add(() -> status("a-1", JobState.RUNNING, Optional.empty()));
        }
        answers.add(() -> status("a-1", JobState.FINISHED, Optional.empty()));
        assertThat(run().state()).isEqualTo(JobState.FINISHED);
        answers.add(
                () -> {
                    now += Duration.ofMinutes(1).toNanos();
                    return fail(ErrorCode.UNAVAILABLE);
                });
        assertThatThrownBy(this::run).hasMessageContaining("waited 60 s");
    }

    private static JobStatus fail(ErrorCode code) {
        throw new SteleException(code, "no");
    }

    private static JobStatus status(String id, JobState state, Optional<ErrorCode> failure) {
        return new JobStatus(
                id,
                JobKind.COMPACT,
                new TableName("s", "t"),
                Optional.empty(),
                Optional.empty(),
                1,
                state,
                0,
                Optional.empty(),
                Optional.empty(),
                0,
                0,
                0,
                failure.map(ErrorCode::name),
                failure.map(code -> "what it says"));
    }
}
