package io.stele.engine.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.FaultInjectingObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class TestCommittedTransactions {
    private static final long EPOCH = 7;

    private final FaultInjectingObjectStore store =
            new FaultInjectingObjectStore(
                    CrashPoint.never(), StoreFaults.NONE, new SplittableRandom(1), nanos -> {});
    private final SavedOutcomeStore saved = new SavedOutcomeStore(store);
    private final CommittedTransactions committed = new CommittedTransactions(saved, EPOCH);
    private final DecisionCollector collector =
            new DecisionCollector(
                    new DecisionStore(store),
                    Runnable::run,
                    () -> 0,
                    failed -> {},
                    () -> true,
                    EPOCH);

    @Test
    void goldenObject() {
        Map<String, Lsn> outcomes = new LinkedHashMap<>();
        outcomes.put("7-1", new Lsn(100));
        outcomes.put("7-a", new Lsn(101));
        String text = new String(SavedOutcomeStore.encode(outcomes), StandardCharsets.UTF_8);
        assertThat(text).startsWith("stele-outcomes 1\n7-1 100\n7-a 101\ncrc32c ").endsWith("\n");
        assertThat(SavedOutcomeStore.decode("p", text.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(outcomes);
        for (String damaged :
                List.of("", "stele-outcomes 2\n", text.replace("7-1", "7-2"), text + "x")) {
            assertThatThrownBy(
                            () ->
                                    SavedOutcomeStore.decode(
                                            "p", damaged.getBytes(StandardCharsets.UTF_8)))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                    .hasMessageContaining("found")
                    .hasMessageContaining(" in p");
        }
    }

    @Test
    void isFoundBeforeAndAfterItIsSaved() throws IOException {
        committed.add("7-1", new Lsn(100));
        committed.add("5-1", new Lsn(90)); // of an engine before, found in the log
        assertThat(committed.find("7-1")).contains(new Lsn(100));
        committed.save(collector);
        committed.add("7-2", new Lsn(110));
        committed.save(collector);
        committed.save(collector);
        assertThat(committed.find("7-1")).isEmpty();
        assertThat(committed.findSaved("7-1")).contains(new Lsn(100));
        assertThat(committed.findSaved("7-2")).contains(new Lsn(110));
        assertThat(committed.findSaved("5-1")).contains(new Lsn(90));
        assertThat(committed.findSaved("5-2")).isEqualTo(Optional.empty());
        assertThat(store.list(Decision.FOLDER))
                .extracting(ObjectEntry::path)
                .containsExactly(
                        "txn/committed/00000000000000000005/00000000000000000007-00000000000000000001",
                        "txn/committed/00000000000000000007/00000000000000000007-00000000000000000002",
                        "txn/committed/00000000000000000007/00000000000000000007-00000000000000000003");
        assertThat(new DecisionStore(store).before(EPOCH)).isEmpty();
        assertThat(new DecisionStore(store).before(EPOCH + 1)).hasSize(3);
    }

    @Test
    void whatTheStoreDoesNotTakeIsSavedLater() throws IOException {
        committed.add("7-1", new Lsn(100));
        store.setFaults(StoreFaults.OUTAGE);
        assertThatThrownBy(() -> committed.save(collector)).isInstanceOf(IOException.class);
        assertThat(committed.find("7-1")).contains(new Lsn(100));
        store.setFaults(StoreFaults.NONE);
        committed.save(collector);
        assertThat(committed.findSaved("7-1")).contains(new Lsn(100));
        assertThat(committed.find("7-1")).isEmpty();
    }

    @Test
    void manyAreSavedInSeveralObjectsAndTooManyAreRefused() throws IOException {
        int count = 0;
        while (!committed.isLarge()) {
            committed.add("7-" + Integer.toHexString(count++), new Lsn(count));
        }
        committed.checkRoom();
        for (int more = 0; more < count; more++) {
            committed.add("7-" + Integer.toHexString(count + more), new Lsn(count + more));
        }
        assertThatThrownBy(committed::checkRoom)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        busy -> assertThat(busy.code()).isEqualTo(ErrorCode.BUSY));
        committed.save(collector);
        committed.checkRoom();
        assertThat(committed.isLarge()).isFalse();
        assertThat(store.list(Decision.FOLDER)).hasSize(4);
        assertThat(committed.findSaved("7-" + Integer.toHexString(2 * count - 1))).isPresent();
    }

    /** Without an atomic step, some of the threads' many counts fall into the middle of a save. */
    @Test
    void noneIsCountedTwiceWhileASaveBegins() throws Exception {
        store.setFaults(StoreFaults.OUTAGE);
        committed.add("7-first", new Lsn(1));
        assertThatThrownBy(() -> committed.save(collector)).isInstanceOf(IOException.class);
        for (int count = 0; count < 90_000; count++) { // fewer than are many, more than half of it
            committed.add("7-" + Integer.toHexString(count), new Lsn(count + 2));
        }
        AtomicBoolean ended = new AtomicBoolean();
        AtomicBoolean wasLarge = new AtomicBoolean();
        CountDownLatch counting = new CountDownLatch(1);
        Thread counter =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!ended.get()) {
                                        if (committed.isLarge()) {
                                            wasLarge.set(true);
                                        }
                                        counting.countDown();
                                    }
                                });
        counting.await();
        for (int round = 0; round < 3; round++) {
            assertThatThrownBy(() -> committed.save(collector)).isInstanceOf(IOException.class);
        }
        ended.set(true);
        counter.join();
        assertThat(wasLarge).isFalse();
    }
}
