package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.fault.CrashPoint;
import io.stele.objectstore.fault.SimulatedCrash;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TestFaultInjectingObjectStore extends ObjectStoreContract {
    @Override
    ObjectStore store() {
        return store(CrashPoint.never(), StoreFaults.NONE, 1);
    }

    @Override
    Instant now() {
        return Instant.EPOCH;
    }

    private static FaultInjectingObjectStore store(
            CrashPoint crashPoint, StoreFaults faults, long seed) {
        return new FaultInjectingObjectStore(crashPoint, faults, new Random(seed), nanos -> {});
    }

    @Test
    void unknownOutcomesHappenAndDoNot() throws Exception {
        FaultInjectingObjectStore store =
                store(CrashPoint.never(), new StoreFaults(0.3, 0.3, 0, 0), 7);
        int created = 0;
        int failedWithEffect = 0;
        int failedWithoutEffect = 0;
        for (int i = 0; i < 1_000; i++) {
            String path = "x/" + i;
            try {
                assertThat(store.createIfAbsent(path, bytes("x"))).isTrue();
                created++;
            } catch (IOException e) {
                if (store.contents().list(path).isEmpty()) {
                    failedWithoutEffect++;
                } else {
                    failedWithEffect++;
                }
            }
        }
        assertThat(created).isBetween(300, 500);
        assertThat(failedWithEffect).isBetween(200, 400);
        assertThat(failedWithoutEffect).isBetween(200, 400);
    }

    @Test
    void conditionalCreateHasOneWinnerDespiteFaults() throws Exception {
        for (int seed = 0; seed < 300; seed++) {
            FaultInjectingObjectStore store =
                    store(CrashPoint.never(), new StoreFaults(0.2, 0.3, 0, 0), seed);
            List<String> winners = new ArrayList<>();
            boolean unsure = false;
            for (String contender : List.of("uuid-1", "uuid-2", "uuid-3")) {
                try {
                    if (ConditionalCreate.create(store, "txn/1", bytes(contender), 3)
                            == ConditionalCreate.Outcome.CREATED) {
                        winners.add(contender);
                    }
                } catch (IOException e) {
                    unsure = true;
                }
            }
            String found =
                    new String(
                            store.contents().readFully("txn/1"),
                            java.nio.charset.StandardCharsets.UTF_8);
            if (unsure) {
                assertThat(winners)
                        .as("seed %d", seed)
                        .hasSizeLessThanOrEqualTo(1)
                        .isSubsetOf(found);
            } else {
                assertThat(winners).as("seed %d", seed).containsExactly(found);
            }
        }
    }

    @Test
    void spendsLatencyOnTheInjectedClock() throws Exception {
        AtomicLong nanos = new AtomicLong();
        FaultInjectingObjectStore store =
                new FaultInjectingObjectStore(
                        CrashPoint.never(),
                        new StoreFaults(0, 0, 1_000, 2_000),
                        new Random(1),
                        nanos::addAndGet);
        for (int i = 0; i < 100; i++) {
            store.put("x", bytes("x"));
        }
        assertThat(nanos.get()).isBetween(100_000L, 200_000L);
    }

    @Test
    void diesAtTheGivenOperationAndStaysDead() throws Exception {
        int survived = 0;
        for (int seed = 0; seed < 100; seed++) {
            CrashPoint crashPoint = CrashPoint.after(3);
            FaultInjectingObjectStore store = store(crashPoint, StoreFaults.NONE, seed);
            store.put("a", bytes("x"));
            try (ObjectWriter upload = store.create("torn")) {
                upload.write(bytes("half"));
                store.put("b", bytes("x"));
                assertThat(crashPoint.crashed()).isFalse();
                assertThatThrownBy(() -> store.put("c", bytes("x")))
                        .isInstanceOf(SimulatedCrash.class);
                assertThat(crashPoint.crashed()).isTrue();
                assertThatThrownBy(() -> upload.write(bytes("more")))
                        .isInstanceOf(SimulatedCrash.class);
                assertThatThrownBy(upload::commit).isInstanceOf(SimulatedCrash.class);
            }
            assertThatThrownBy(() -> store.readFully("a")).isInstanceOf(SimulatedCrash.class);
            assertThatThrownBy(() -> store.list("")).isInstanceOf(SimulatedCrash.class);
            assertThatThrownBy(() -> store.delete("a")).isInstanceOf(SimulatedCrash.class);

            FaultInjectingObjectStore restarted =
                    store.surviving(CrashPoint.never(), StoreFaults.NONE);
            List<String> found = restarted.list("").stream().map(ObjectEntry::path).toList();
            assertThat(found).startsWith("a", "b").doesNotContain("torn").hasSizeBetween(2, 3);
            survived += found.size() - 2;
            assertThat(restarted.createIfAbsent("d", bytes("x"))).isTrue();
        }
        assertThat(survived)
                .as("the last operation has an effect in some of 100 seeds")
                .isBetween(20, 80);
    }

    @Test
    void sameSeedSameFaults() throws Exception {
        assertThat(history(5)).isEqualTo(history(5)).isNotEqualTo(history(6));
    }

    private static List<Boolean> history(long seed) {
        FaultInjectingObjectStore store =
                store(CrashPoint.never(), new StoreFaults(0.5, 0, 0, 10), seed);
        List<Boolean> history = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            try {
                store.put("x", bytes("x"));
                history.add(true);
            } catch (IOException e) {
                history.add(false);
            }
        }
        return history;
    }
}
