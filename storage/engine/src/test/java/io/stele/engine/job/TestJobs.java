package io.stele.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.maintenance.JobKind;
import io.stele.protocol.api.maintenance.JobState;
import io.stele.protocol.api.maintenance.JobStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class TestJobs {
    private static final TableName NAME = new TableName("s", "t");
    private static final JobKey COMPACT = key(JobKind.COMPACT, 1);

    private final List<CompletableFuture<Long>> rounds = new ArrayList<>();
    private long nowMillis = 1_000;
    private final Jobs jobs = new Jobs("a-", () -> nowMillis);

    private static JobKey key(JobKind kind, long table) {
        return new JobKey(kind, new TableId(table), Optional.empty());
    }

    private static JobKey orphans(long before) {
        return new JobKey(JobKind.REMOVE_ORPHAN_FILES, new TableId(1), Optional.of(before));
    }

    private Job run(JobKey key) {
        return run(key, Optional.empty());
    }

    private Job run(JobKey key, Optional<String> user) {
        return jobs.run(
                key,
                NAME,
                user,
                progress -> {
                    CompletableFuture<Long> round = new CompletableFuture<>();
                    rounds.add(round);
                    return round;
                });
    }

    @Test
    void whoAsksForTheSameFindsTheJobAndIsCovered() {
        Job job = run(COMPACT);
        nowMillis = 2_000;
        assertThat(run(COMPACT, Optional.of("alice"))).isSameAs(job);
        assertThat(job.status().user()).contains("alice");
        assertThat(job.status().requestCount()).isEqualTo(2);
        rounds.getFirst().complete(0L);
        assertThat(job.status().state())
                .as("what was written before the second call may be left")
                .isEqualTo(JobState.RUNNING);
        nowMillis = 3_000;
        rounds.getLast().complete(0L);
        JobStatus ended = job.ended().join();
        assertThat(ended.state()).isEqualTo(JobState.FINISHED);
        assertThat(ended.createdMillis()).isEqualTo(1_000);
        assertThat(ended.startedMillis()).contains(1_000L);
        assertThat(ended.endedMillis()).contains(3_000L);
        assertThat(run(COMPACT).id()).isNotEqualTo(job.id());
    }

    @Test
    void workThatCoversItsArgumentIsDoneOnce() {
        Job job = run(orphans(5));
        assertThat(run(orphans(5))).isSameAs(job);
        assertThat(rounds).hasSize(1);
        assertThat(run(orphans(6))).isNotSameAs(job);
        rounds.getFirst().complete(17L);
        assertThat(job.ended().join().result()).isEqualTo(17);
    }

    @Test
    void otherWorkIsAnotherJob() {
        assertThat(List.of(run(COMPACT), run(key(JobKind.FLUSH, 1)), run(key(JobKind.COMPACT, 2))))
                .doesNotHaveDuplicates();
    }

    @Test
    void aJobThatOthersKeepAskingForEnds() {
        Job job = run(COMPACT);
        Job other = job;
        for (int i = 0; i < 100 && other == job; i++) {
            other = run(COMPACT);
        }
        assertThat(other).isNotSameAs(job);
        assertThat(run(COMPACT)).as("of two the newer is found").isSameAs(other);
        for (CompletableFuture<Long> round : rounds.subList(0, rounds.size() - 2)) {
            round.complete(0L);
        }
        assertThat(job.ended()).isDone();
        assertThat(other.ended()).isNotDone();
        assertThat(run(COMPACT)).isSameAs(other);
    }

    @Test
    void aCancelledJobSaysWhoDidIt() {
        Job job = run(COMPACT);
        job.progress()
                .whenCancelled(() -> rounds.getFirst().completeExceptionally(Progress.refusal()));
        jobs.cancel(job.id(), Optional.of("bob"));
        JobStatus ended = job.ended().join();
        assertThat(ended.state()).isEqualTo(JobState.CANCELLED);
        assertThat(ended.failure().orElseThrow().code()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(ended.message())
                .contains("Job a-1 (compact of s.t) was cancelled by user 'bob'");
        jobs.cancel(job.id(), Optional.of("ann")); // the request came again
        assertThat(job.status().message()).isEqualTo(ended.message());
        Job finished = run(key(JobKind.FLUSH, 1));
        rounds.getLast().complete(0L);
        assertRefused(
                () -> jobs.cancel(finished.id(), Optional.empty()),
                ErrorCode.INVALID_ARGUMENT,
                "Expected a job that has not ended, found a-2, which is finished");
        assertRefused(
                () -> jobs.cancel("b-1", Optional.empty()),
                ErrorCode.INVALID_ARGUMENT,
                "Expected the id of a job, as stele.system.jobs has them, found 'b-1'");
    }

    @Test
    void nobodyJoinsAJobThatIsStopping() {
        Job stopping = run(COMPACT);
        jobs.cancel(stopping.id(), Optional.empty());
        Job next = run(COMPACT);
        assertThat(next).isNotSameAs(stopping);
        rounds.getFirst().completeExceptionally(Progress.refusal());
        assertThat(stopping.ended().join().state()).isEqualTo(JobState.CANCELLED);
        assertThat(run(COMPACT)).isSameAs(next);
    }

    @Test
    void aJobThatEndsBeforeItsCancellationIsSeenIsFinished() {
        Job job = run(COMPACT);
        jobs.cancel(job.id(), Optional.empty());
        rounds.getFirst().complete(0L);
        assertThat(job.ended().join().state()).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aFailureIsTold() {
        Job job = run(COMPACT);
        run(COMPACT);
        rounds.getFirst()
                .completeExceptionally(new SteleException(ErrorCode.STORE_FAILED, "no store"));
        assertThat(job.ended()).isNotDone();
        rounds.getLast().complete(0L);
        JobStatus ended = job.ended().join();
        assertThat(ended.state()).isEqualTo(JobState.FAILED);
        assertThat(ended.failure().orElseThrow())
                .isInstanceOfSatisfying(
                        SteleException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.STORE_FAILED))
                .hasMessage("no store");
        Job refused =
                jobs.run(
                        COMPACT,
                        NAME,
                        Optional.empty(),
                        progress -> {
                            throw new SteleException(ErrorCode.TABLE_NOT_FOUND, "no table");
                        });
        assertThat(refused.ended().join().state()).isEqualTo(JobState.FAILED);
    }

    @Test
    void queuedWorkStartsWhenItSaysSo() {
        JobKey build = new JobKey(JobKind.BUILD_INDEX, new TableId(1), Optional.of(3L));
        CompletableFuture<Long> work = new CompletableFuture<>();
        Job job = jobs.queue(build, NAME, "by_name", work);
        assertThat(job.status().state()).isEqualTo(JobState.QUEUED);
        assertThat(job.status().startedMillis()).isEmpty();
        assertThat(jobs.findLast(build, Optional.of("alice"))).containsSame(job);
        assertThat(job.status().user()).contains("alice");
        nowMillis = 4_000;
        job.start();
        assertThat(job.status().startedMillis()).contains(4_000L);
        work.completeExceptionally(Progress.refusal());
        assertThat(job.status().message())
                .contains("Job a-1 (build_index of index 'by_name' of s.t) was cancelled");
        assertThat(jobs.findLast(build, Optional.empty())).containsSame(job);
    }

    @Test
    void whatEndedIsForgottenByNumberAndAge() {
        List<Job> all = new ArrayList<>();
        for (int i = 0; i < Jobs.MAX_ENDED + 5; i++) {
            all.add(run(COMPACT));
            rounds.getLast().complete(0L);
        }
        Job open = run(key(JobKind.FLUSH, 1));
        assertThat(jobs.list()).hasSize(Jobs.MAX_ENDED + 1);
        assertThat(jobs.list().getLast().id()).isEqualTo(open.id());
        assertThat(jobs.find(all.get(4).id())).isEmpty();
        assertThat(jobs.find(all.get(5).id())).isPresent();
        nowMillis += Jobs.ENDED_MILLIS + 1;
        assertThat(jobs.list()).extracting(JobStatus::id).containsExactly(open.id());
    }

    @Test
    void thereIsALimit() {
        for (int table = 1; table <= Jobs.MAX_OPEN; table++) {
            run(key(JobKind.COMPACT, table));
        }
        assertRefused(
                () -> run(key(JobKind.FLUSH, 1)),
                ErrorCode.BUSY,
                "Expected fewer than 1000 jobs at a time, found 1000; stele.system.jobs lists"
                        + " them");
        assertThat(run(key(JobKind.COMPACT, 2))).as("it is there").isNotNull();
        rounds.getFirst().complete(0L);
        run(key(JobKind.FLUSH, 1));
        assertThat(jobs.openCount()).isEqualTo(Jobs.MAX_OPEN);
    }

    @Test
    void closingEndsThemAll() {
        Job job = run(COMPACT);
        jobs.close();
        assertThat(job.ended().join().failure().orElseThrow().code())
                .isEqualTo(ErrorCode.UNAVAILABLE);
        rounds.getFirst().complete(0L); // too late
        assertThat(job.status().state()).isEqualTo(JobState.FAILED);
        assertThatThrownBy(() -> run(COMPACT)).hasMessage("The sidecar is stopping");
    }

    @Test
    void awaitingEndsWithTheJobOrTheTime() throws Exception {
        Job job = run(COMPACT);
        assertThat(job.await(1).state()).isEqualTo(JobState.RUNNING);
        rounds.getFirst().complete(0L);
        assertThat(job.await(60_000).state()).isEqualTo(JobState.FINISHED);
    }

    @Test
    void progressCountsWhatIsGivenUpNot() {
        Progress progress = new Progress();
        Progress.Part first = progress.begin(100);
        Progress.Part second = progress.begin(50);
        first.advance(70);
        first.advance(70);
        assertThat(progress.count()).isEqualTo(new Progress.Count(100, 150));
        second.advance(10);
        second.giveUp();
        second.advance(10);
        assertThat(progress.count()).isEqualTo(new Progress.Count(100, 100));
        progress.begin(20).finish();
        assertThat(progress.count()).isEqualTo(new Progress.Count(120, 120));
    }

    private static void assertRefused(ThrowingCallable call, ErrorCode code, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class, refused -> assertThat(refused.code()).isEqualTo(code))
                .hasMessage(message);
    }
}
