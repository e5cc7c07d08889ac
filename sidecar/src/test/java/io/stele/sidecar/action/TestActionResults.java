package io.stele.sidecar.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.sidecar.engine.ReplyBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class TestActionResults {
    private static final int MIB = 1 << 20;
    private static final int LIMIT_BYTES = 64 * MIB;
    private static final int LARGE_LIMIT_BYTES = 56 * MIB;

    private final ReplyBudget budget = new ReplyBudget(LIMIT_BYTES);
    private final ActionResults results = new ActionResults(budget);
    private final AtomicInteger begun = new AtomicInteger();

    /** Shorter and longer than what is made at once. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 16_379, 16_380, 16_381, 100_000, 5_000_000})
    void aResultHoldsItsBytesUntilItsClientHasIt(int length) {
        ActionReply reply = run(call(0, length)).orElseThrow();
        assertThat(reply.bytes()).isEqualTo(ApiJson.write(result(length)));
        assertThat(budget.usedBytes()).isEqualTo(reply.bytes().length);
        reply.room().close();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void copiesCount() {
        ActionReply reply =
                results.run("test", call(0, MIB), () -> false, 2, LIMIT_BYTES).orElseThrow();
        assertThat(budget.usedBytes()).isEqualTo(2L * reply.bytes().length);
    }

    @Test
    void noActionBeginsWithoutRoom() {
        List<ReplyBudget.Room> all = new ArrayList<>();
        all.add(budget.take(LARGE_LIMIT_BYTES));
        for (int i = 0; i < 16; i++) {
            all.add(budget.take(ReplyBudget.SMALL_BYTES));
        }
        CompletableFuture<Optional<ActionReply>> reply = started(call(0, 10));
        awaitWaiting(1);
        assertThat(begun).hasValue(0);
        all.removeLast().close();
        assertThat(reply.join()).isPresent();
    }

    /** Else its files would be listed in memory before it is known that there is none. */
    @Test
    void aListingWaitsForAboutTheRoomOfItsResult() {
        ReplyBudget.Room others = budget.take(50 * MIB);
        CompletableFuture<Optional<ActionReply>> reply = started(call(20 * MIB, MIB));
        awaitWaiting(1);
        assertThat(begun).hasValue(0);
        run(call(0, 10)).orElseThrow().room().close(); // a small one does not wait for it
        others.close();
        int length = reply.join().orElseThrow().bytes().length;
        assertThat(budget.usedBytes()).isEqualTo(length);
    }

    @Test
    void fewResultsThatTurnOutLargerWait() {
        ReplyBudget.Room others = budget.take(LARGE_LIMIT_BYTES);
        List<CompletableFuture<Optional<ActionReply>>> waiting = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            waiting.add(started(call(1, MIB)));
            awaitWaiting(i);
        }
        long used = budget.usedBytes();
        assertThatThrownBy(() -> run(call(1, MIB)))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        busy -> assertThat(busy.code()).isEqualTo(ErrorCode.BUSY))
                .hasMessageContaining("stele.client.max-pending-bytes");
        assertThat(budget.usedBytes()).isEqualTo(used);
        // What has an effect is never said to have none
        waiting.add(started(call(0, MIB)));
        awaitWaiting(5);
        others.close();
        waiting.forEach(reply -> assertThat(reply.join()).isPresent());
    }

    @Test
    void aFailedActionGivesItsRoomBack() {
        assertThatThrownBy(
                        () ->
                                run(
                                        new ActionHandler.Call(
                                                20 * MIB,
                                                () -> {
                                                    throw new IllegalStateException("broken");
                                                })))
                .hasMessage("broken");
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void aResultLargerThanClientsTakeIsRefused() {
        assertThatThrownBy(() -> results.run("test", call(0, MIB), () -> false, 1, MIB))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        large -> assertThat(large.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("'test' of at most 1048576 bytes, found 1048580");
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void nothingIsDoneForWhoHasGone() {
        assertThat(results.run("test", call(0, 10), () -> true, 1, MIB)).isEmpty();
        assertThat(begun).hasValue(0);
        assertThat(budget.usedBytes()).isZero();
    }

    private ActionHandler.Call call(long resultBytes, int length) {
        return new ActionHandler.Call(
                resultBytes,
                () -> {
                    begun.incrementAndGet();
                    return result(length);
                });
    }

    private static List<String> result(int length) {
        return List.of("x".repeat(length));
    }

    private Optional<ActionReply> run(ActionHandler.Call call) {
        return results.run("test", call, () -> false, 1, LIMIT_BYTES);
    }

    private CompletableFuture<Optional<ActionReply>> started(ActionHandler.Call call) {
        return CompletableFuture.supplyAsync(
                () -> run(call), task -> Thread.ofVirtual().start(task));
    }

    private void awaitWaiting(int count) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        while (budget.waitingCount() < count) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
        }
    }
}
