package io.stele.engine.garbage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TestDeletionQueue {
    private final DeletionQueue<String> queue = new DeletionQueue<>();
    private final Set<String> failing = new HashSet<>();
    private final List<String> deleted = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();

    private void run(long nowMillis) throws IOException {
        queue.run(
                nowMillis,
                _ -> true,
                path -> {
                    if (failing.contains(path)) {
                        throw new IOException("no " + path);
                    }
                    deleted.add(path);
                },
                failed::add);
    }

    @Test
    void aFailedDeletionDoesNotHoldTheOthers() throws Exception {
        failing.addAll(List.of("b", "d"));
        List.of("a", "b", "c", "d", "e").forEach(path -> queue.add(path, 0));
        queue.add("later", 100);
        assertThatThrownBy(() -> run(0))
                .hasMessage("no b")
                .satisfies(
                        first ->
                                assertThat(first.getSuppressed())
                                        .extracting(Throwable::getMessage)
                                        .containsExactly("no d"));
        assertThat(deleted).containsExactly("a", "c", "e");
        assertThat(failed).containsExactly("b", "d");
        failing.clear();
        run(DeletionQueue.MIN_PAUSE_MILLIS - 1);
        assertThat(deleted).containsExactly("a", "c", "e", "later");
        run(DeletionQueue.MIN_PAUSE_MILLIS);
        assertThat(deleted).containsExactly("a", "c", "e", "later", "b", "d");
        assertThat(queue.size()).isZero();
    }

    @Test
    void pausesDoubleUpToALimit() {
        failing.add("a");
        queue.add("a", 0);
        long now = 0;
        for (int failures = 0; failures < 10; failures++) {
            long at = now;
            assertThatThrownBy(() -> run(at)).hasMessage("no a");
            long pause =
                    Math.min(
                            DeletionQueue.MIN_PAUSE_MILLIS << failures,
                            DeletionQueue.MAX_PAUSE_MILLIS);
            assertThat(failed).hasSize(failures + 1);
            now += pause;
        }
        assertThat(queue.size()).isOne();
    }

    @Test
    void anOutageEndsTheRunAndPausesOnlyWhatWasTried() throws Exception {
        for (int i = 0; i < 10; i++) {
            failing.add("" + i);
            queue.add("" + i, 0);
        }
        assertThatThrownBy(() -> run(0)).hasMessage("no 0");
        assertThat(failed).hasSize(DeletionQueue.MAX_FAILURES_IN_A_ROW);
        failing.clear();
        run(1);
        assertThat(deleted).containsExactly("3", "4", "5", "6", "7", "8", "9");
    }

    @Test
    void whatIsNotClaimedIsRemoved() throws Exception {
        queue.add("a", 0);
        queue.run(0, _ -> false, deleted::add, failed::add);
        assertThat(deleted).isEmpty();
        assertThat(queue.size()).isZero();
    }

    @Test
    void deletionsThatFailedHaveALimit() throws Exception {
        DeletionQueue<String> few = new DeletionQueue<>(2);
        List.of("a", "b", "c").forEach(path -> few.add(path, 0));
        assertThatThrownBy(
                        () ->
                                few.run(
                                        0,
                                        _ -> true,
                                        path -> {
                                            throw new IOException("no " + path);
                                        },
                                        failed::add))
                .hasMessage("no a");
        assertThat(failed).containsExactly("a", "b", "c");
        assertThat(few.size()).isEqualTo(2);
        few.run(DeletionQueue.MAX_PAUSE_MILLIS, _ -> true, deleted::add, failed::add);
        assertThat(deleted).containsExactly("a", "b");
        few.add("d", 0);
        assertThatThrownBy(
                        () ->
                                few.run(
                                        0,
                                        _ -> true,
                                        path -> {
                                            throw new IOException("no " + path);
                                        },
                                        failed::add))
                .hasMessage("no d");
        assertThat(few.size()).as("there is room again").isOne();
    }
}
