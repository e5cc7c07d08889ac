package io.stele.sidecar.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.sidecar.engine.ReplyBudget.Room;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class TestReplyBudget {
    private static final int MIB = 1 << 20;
    private static final int LIMIT_BYTES = 64 * MIB;
    private static final int LARGE_LIMIT_BYTES = 56 * MIB;
    private static final int SMALL_BYTES = 256 << 10;

    private final ReplyBudget budget = new ReplyBudget(LIMIT_BYTES);

    @Test
    void whatIsTakenIsGivenBackOnce() {
        Room room = budget.tryTake(40 * MIB).orElseThrow();
        Room other = budget.tryTake(10 * MIB).orElseThrow();
        assertThat(budget.tryTake(40 * MIB)).isEmpty();
        assertThat(budget.usedBytes()).isEqualTo(50 * MIB);
        room.close();
        room.close();
        assertThat(budget.usedBytes()).isEqualTo(10 * MIB);
        other.close();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void moreThanThereIsTakesAllThatLargeOnesMayHave() {
        Room room = budget.tryTake(10 * LIMIT_BYTES).orElseThrow();
        assertThat(budget.usedBytes()).isEqualTo(LARGE_LIMIT_BYTES);
        CompletableFuture<Room> next = taken(20 * MIB);
        assertThat(room.tryGrow(20 * LIMIT_BYTES)).as("it has all").isTrue();
        assertThat(budget.usedBytes()).isEqualTo(LARGE_LIMIT_BYTES);
        room.close();
        next.join().close();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void whatMayStayIsInNobodysWay() {
        List<Room> staying = new ArrayList<>();
        Room next = budget.tryTake(SMALL_BYTES).orElseThrow();
        while (next.mayStay()) {
            staying.add(next);
            next = budget.tryTake(SMALL_BYTES).orElseThrow();
        }
        next.close();
        assertThat(staying).hasSize(16);
        Room large = budget.tryTake(LIMIT_BYTES).orElseThrow();
        assertThat(large.mayStay()).isFalse();
        large.shrink(SMALL_BYTES);
        assertThat(large.mayStay()).as("one more than these").isFalse();
        large.close();
        staying.forEach(Room::close);
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void whatTurnsOutToBeSmallerGivesTheRestBack() {
        Room room = budget.tryTake(50 * MIB).orElseThrow();
        CompletableFuture<Room> next = taken(20 * MIB);
        room.shrink(36 * MIB);
        next.join();
        assertThat(budget.usedBytes()).isEqualTo(56 * MIB);
        room.shrink(40 * MIB);
        assertThat(budget.usedBytes()).as("it does not grow so").isEqualTo(56 * MIB);
    }

    /** A plan of one file of a table of many, which its client takes late. */
    @Test
    void whatTurnsOutToBeSmallStopsNoLargeOnes() {
        Room room = budget.tryTake(budget.firstBytes()).orElseThrow();
        room.shrink(SMALL_BYTES);
        Room all = budget.tryTake(LARGE_LIMIT_BYTES).orElseThrow();
        assertThat(budget.usedBytes()).isEqualTo(LARGE_LIMIT_BYTES + SMALL_BYTES);
        all.close();
        room.close();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void anEstimateLeavesRoomForOthers() {
        for (int i = 0; i < 3; i++) {
            assertThat(budget.tryTake(budget.firstBytes())).isPresent();
        }
    }

    @Test
    void itGrowsWhileThereIsRoomAndNobodyWaits() {
        Room room = budget.tryTake(SMALL_BYTES).orElseThrow();
        assertThat(room.tryGrow(50 * MIB)).isTrue();
        assertThat(room.tryGrow(57 * MIB)).as("all that large ones may have").isTrue();
        assertThat(budget.usedBytes()).isEqualTo(LARGE_LIMIT_BYTES);
        room.shrink(30 * MIB);
        Room other = budget.tryTake(SMALL_BYTES).orElseThrow();
        assertThat(other.tryGrow(27 * MIB)).isFalse();
        assertThat(budget.usedBytes()).isEqualTo(30 * MIB + SMALL_BYTES);
        CompletableFuture<Room> waiting = taken(40 * MIB);
        assertThat(other.tryGrow(2 * MIB)).as("before one that waits").isFalse();
        assertThat(other.tryGrow(2 * SMALL_BYTES)).as("as a small one").isTrue();
        room.close();
        waiting.join();
    }

    /** Clients that take no large replies do not stop small ones. */
    @Test
    void smallOnesGoPastLargeOnesThatWait() {
        Room stalled = budget.tryTake(LARGE_LIMIT_BYTES).orElseThrow();
        CompletableFuture<Room> large = taken(16 * MIB);
        List<Room> small = new ArrayList<>();
        for (int i = 0; i < 32; i++) { // all of an eighth
            small.add(budget.tryTake(SMALL_BYTES).orElseThrow());
        }
        assertThat(budget.tryTake(SMALL_BYTES)).isEmpty();
        CompletableFuture<Room> next = taken(SMALL_BYTES);
        assertThat(large).isNotDone();
        small.getFirst().close();
        next.join();
        stalled.close();
        large.join();
    }

    /** Else many that need little would keep one that needs much waiting for ever. */
    @Test
    void smallOnesDoNotStarveLargeOnes() {
        List<Room> small = new ArrayList<>();
        for (int i = 0; i < 256; i++) { // the whole budget
            small.add(budget.tryTake(SMALL_BYTES).orElseThrow());
        }
        CompletableFuture<Room> large = taken(16 * MIB);
        while (budget.waitingCount() > 0) {
            small.removeFirst().close();
            assertThat(budget.tryTake(SMALL_BYTES)).isEmpty();
        }
        large.join();
        assertThat(small).as("those that leave 16 MiB").hasSize(192);
    }

    @Test
    void largeOnesComeInTheirOrder() {
        Room stalled = budget.tryTake(50 * MIB).orElseThrow();
        CompletableFuture<Room> first = taken(20 * MIB);
        CompletableFuture<Room> second = taken(1 * MIB); // would fit
        assertThat(second).isNotDone();
        assertThat(budget.tryTake(1 * MIB)).isEmpty();
        stalled.close();
        first.join();
        second.join();
    }

    /**
     * Whatever happens, the limits hold, nobody waits who fits, and in the end all is given back.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void theLimitsHold(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Room> rooms = new ArrayList<>();
        List<CompletableFuture<Room>> waiting = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            int size =
                    random.nextBoolean() ? random.nextInt(SMALL_BYTES) : random.nextInt(20 * MIB);
            switch (random.nextInt(5)) {
                case 0 -> budget.tryTake(size).ifPresent(rooms::add);
                case 1 -> {
                    if (waiting.size() < 10) {
                        waiting.add(taken(size));
                    }
                }
                case 2 -> any(rooms, random).ifPresent(room -> room.tryGrow(size));
                case 3 -> any(rooms, random).ifPresent(room -> room.shrink(size));
                default ->
                        any(rooms, random)
                                .ifPresent(
                                        room -> {
                                            room.close();
                                            rooms.remove(room);
                                        });
            }
            for (CompletableFuture<Room> done :
                    waiting.stream().filter(CompletableFuture::isDone).toList()) {
                rooms.add(done.join());
                waiting.remove(done);
            }
            assertThat(budget.usedBytes()).isBetween(0L, (long) LIMIT_BYTES);
        }
        while (!rooms.isEmpty() || !waiting.isEmpty()) {
            rooms.forEach(Room::close);
            rooms.clear();
            if (!waiting.isEmpty()) {
                rooms.add(waiting.removeFirst().join());
            }
        }
        assertThat(budget.usedBytes()).isZero();
        assertThat(budget.waitingCount()).isZero();
    }

    private static Optional<Room> any(List<Room> rooms, SplittableRandom random) {
        return rooms.isEmpty()
                ? Optional.empty()
                : Optional.of(rooms.get(random.nextInt(rooms.size())));
    }

    /** Begins to wait, or has taken it when this returns. */
    private CompletableFuture<Room> taken(int sizeBytes) {
        int before = budget.waitingCount();
        CompletableFuture<Room> room = new CompletableFuture<>();
        Thread thread = Thread.startVirtualThread(() -> room.complete(budget.take(sizeBytes)));
        while (budget.waitingCount() == before && !room.isDone()) {
            assertThat(thread.isAlive() || room.isDone()).isTrue();
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(50));
        }
        return room;
    }
}
