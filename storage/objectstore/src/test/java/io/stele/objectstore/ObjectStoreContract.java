package io.stele.objectstore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What every object store must do. */
abstract class ObjectStoreContract {
    abstract ObjectStore store() throws IOException;

    /** The size of an object that the store writes in pieces. */
    int largeObjectBytes() {
        return 1_000_003;
    }

    @Test
    void createsOnce() throws Exception {
        ObjectStore store = store();
        assertThat(store.createIfAbsent("a/b/c", bytes("first"))).isTrue();
        assertThat(store.createIfAbsent("a/b/c", bytes("second"))).isFalse();
        assertThat(store.readFully("a/b/c")).isEqualTo(bytes("first"));
        assertThat(store.size("a/b/c")).isEqualTo(5);
    }

    @Test
    void oneOfManyRacersCreates() throws Exception {
        ObjectStore store = store();
        for (int round = 0; round < 20; round++) {
            String path = "race/" + round;
            AtomicInteger winners = new AtomicInteger();
            List<String> won = java.util.Collections.synchronizedList(new ArrayList<>());
            CountDownLatch start = new CountDownLatch(1);
            List<Thread> racers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String content = "racer " + i;
                racers.add(
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            try {
                                                start.await();
                                                if (store.createIfAbsent(path, bytes(content))) {
                                                    winners.incrementAndGet();
                                                    won.add(content);
                                                }
                                            } catch (IOException | InterruptedException e) {
                                                throw new IllegalStateException(e);
                                            }
                                        }));
            }
            start.countDown();
            for (Thread racer : racers) {
                racer.join();
            }
            assertThat(winners).hasValue(1);
            assertThat(store.readFully(path)).isEqualTo(bytes(won.getFirst()));
        }
    }

    @Test
    void passesTheProbe() throws Exception {
        ObjectStore store = store();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            AtomicCreateProbe.check(store, threads, new UUID(1, 2));
        }
        assertThat(store.list("")).isEmpty();
    }

    @Test
    void emptyObjectsAreObjects() throws Exception {
        ObjectStore store = store();
        assertThat(store.createIfAbsent("empty", new byte[0])).isTrue();
        assertThat(store.readFully("empty")).isEmpty();
        assertThat(store.read("empty", 0, 0)).isEmpty();
        assertThat(store.createIfAbsent("empty", new byte[0])).isFalse();
        try (ObjectWriter writer = store.create("empty")) {
            assertThatThrownBy(writer::commit).isInstanceOf(FileAlreadyExistsException.class);
        }
    }

    @Test
    void putReplaces() throws Exception {
        ObjectStore store = store();
        store.put("x", bytes("a longer first content"));
        store.put("x", bytes("second"));
        assertThat(store.readFully("x")).isEqualTo(bytes("second"));
        assertThat(store.createIfAbsent("x", bytes("third"))).isFalse();
    }

    @Test
    void readsRanges() throws Exception {
        ObjectStore store = store();
        store.put("x", bytes("0123456789"));
        assertThat(store.read("x", 0, 10)).isEqualTo(bytes("0123456789"));
        assertThat(store.read("x", 3, 4)).isEqualTo(bytes("3456"));
        assertThat(store.read("x", 10, 0)).isEmpty();
        byte[] buffer = bytes("..........");
        store.read("x", 8, buffer, 4, 2);
        assertThat(buffer).isEqualTo(bytes("....89...."));
        assertThatThrownBy(() -> store.read("x", 8, 3))
                .isInstanceOf(EOFException.class)
                .hasMessageContaining(store.describe("x"));
    }

    @Test
    void readsOfPartsFollowReplacementsAndDeletions() throws Exception {
        ObjectStore store = store();
        store.put("x", bytes("first"));
        assertThat(store.read("x", 1, 2)).isEqualTo(bytes("ir"));
        store.put("x", bytes("second"));
        assertThat(store.read("x", 1, 2)).isEqualTo(bytes("ec"));
        store.delete("x");
        assertThatThrownBy(() -> store.read("x", 1, 2)).isInstanceOf(NoSuchFileException.class);
        assertThat(store.createIfAbsent("x", bytes("third"))).isTrue();
        assertThat(store.read("x", 1, 2)).isEqualTo(bytes("hi"));
    }

    @Test
    void missingObjectsAreNamed() throws Exception {
        ObjectStore store = store();
        store.put("a/b", bytes("x"));
        for (String path : List.of("missing", "a/missing", "missing/b")) {
            assertThatThrownBy(() -> store.readFully(path)).isInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> store.read(path, 0, 1))
                    .isInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> store.size(path)).isInstanceOf(NoSuchFileException.class);
            store.delete(path);
        }
    }

    @Test
    void writersPublishAtCommit() throws Exception {
        ObjectStore store = store();
        byte[] content = new byte[largeObjectBytes()];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) (i * 13);
        }
        try (ObjectWriter writer = store.create("large/object")) {
            writer.write(content[0]);
            writer.write(content, 1, 99);
            writer.write(content, 100, content.length - 100);
            assertThat(writer.position()).isEqualTo(content.length);
            assertThat(store.list("")).isEmpty();
            assertThatThrownBy(() -> store.size("large/object"))
                    .isInstanceOf(NoSuchFileException.class);
            writer.commit();
            assertThat(store.readFully("large/object")).isEqualTo(content);
            assertThatThrownBy(() -> writer.write(1)).isInstanceOf(IOException.class);
            assertThatThrownBy(writer::commit).isInstanceOf(IOException.class);
        }
        assertThat(store.readFully("large/object")).isEqualTo(content);
    }

    @Test
    void writersWithoutCommitLeaveNothing() throws Exception {
        ObjectStore store = store();
        ObjectWriter writer = store.create("x");
        writer.write(bytes("half"));
        writer.close();
        writer.close();
        assertThat(store.list("")).isEmpty();
        assertThatThrownBy(writer::commit).isInstanceOf(IOException.class);
        assertThat(store.createIfAbsent("x", bytes("whole"))).isTrue();
    }

    @Test
    void writersDoNotReplace() throws Exception {
        ObjectStore store = store();
        try (ObjectWriter first = store.create("x");
                ObjectWriter second = store.create("x")) {
            first.write(bytes("first"));
            second.write(bytes("second"));
            first.commit();
            assertThatThrownBy(second::commit).isInstanceOf(FileAlreadyExistsException.class);
        }
        assertThat(store.readFully("x")).isEqualTo(bytes("first"));
    }

    @Test
    void oneOfManyRacingWritersCommits() throws Exception {
        ObjectStore store = store();
        byte[] rest = new byte[largeObjectBytes() - 1];
        List<Integer> won = java.util.Collections.synchronizedList(new ArrayList<>());
        CountDownLatch start = new CountDownLatch(4);
        List<Thread> racers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int racer = i;
            racers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try (ObjectWriter writer = store.create("race")) {
                                            writer.write(racer);
                                            writer.write(rest);
                                            start.countDown();
                                            start.await();
                                            writer.commit();
                                            won.add(racer);
                                        } catch (FileAlreadyExistsException lost) {
                                            // as all but one
                                        } catch (IOException | InterruptedException e) {
                                            throw new IllegalStateException(e);
                                        }
                                    }));
        }
        for (Thread racer : racers) {
            racer.join();
        }
        assertThat(won).hasSize(1);
        assertThat(store.size("race")).isEqualTo(largeObjectBytes());
        assertThat(store.read("race", 0, 1)[0]).isEqualTo(won.getFirst().byteValue());
        assertThat(store.list("")).hasSize(1);
    }

    @Test
    void swapsWhatIsAsExpected() throws Exception {
        ObjectStore store = store();
        if (!store.supportsCompareAndSwap()) {
            assertThatThrownBy(() -> store.compareAndSwap("x", bytes("a"), bytes("b")))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining(store.describe("x"));
            return;
        }
        assertThat(store.compareAndSwap("x/y", bytes("first"), bytes("second"))).isFalse();
        assertThat(store.list("")).isEmpty();
        store.createIfAbsent("x/y", bytes("first"));
        assertThat(store.read("x/y", 0, 1)).isEqualTo(bytes("f"));
        assertThat(store.compareAndSwap("x/y", bytes("other"), bytes("second"))).isFalse();
        assertThat(store.compareAndSwap("x/y", bytes("longer than it"), bytes("second"))).isFalse();
        assertThat(store.readFully("x/y")).isEqualTo(bytes("first"));
        assertThat(store.compareAndSwap("x/y", bytes("first"), bytes("second"))).isTrue();
        assertThat(store.compareAndSwap("x/y", bytes("first"), bytes("third"))).isFalse();
        assertThat(store.readFully("x/y")).isEqualTo(bytes("second"));
        assertThat(store.read("x/y", 0, 1)).isEqualTo(bytes("s"));
    }

    /** Every increment that was acknowledged is in the end, and no other. */
    @Test
    void racingCountersLoseNothing() throws Exception {
        ObjectStore store = store();
        if (!store.supportsCompareAndSwap()) {
            return;
        }
        store.createIfAbsent("counter", bytes("0 of nobody"));
        AtomicInteger acknowledged = new AtomicInteger();
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> racers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String name = " of racer " + i + " attempt ";
            racers.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            start.await();
                                            for (int attempt = 0; attempt < 25; attempt++) {
                                                byte[] found = store.readFully("counter");
                                                int next = counter(found) + 1;
                                                if (store.compareAndSwap(
                                                        "counter",
                                                        found,
                                                        bytes(next + name + attempt))) {
                                                    acknowledged.incrementAndGet();
                                                }
                                            }
                                        } catch (IOException | InterruptedException e) {
                                            throw new IllegalStateException(e);
                                        }
                                    }));
        }
        start.countDown();
        for (Thread racer : racers) {
            racer.join();
        }
        assertThat(acknowledged.get()).isGreaterThan(0);
        assertThat(counter(store.readFully("counter"))).isEqualTo(acknowledged.get());
    }

    private static int counter(byte[] content) {
        String text = new String(content, UTF_8);
        return Integer.parseInt(text.substring(0, text.indexOf(' ')));
    }

    @Test
    void listsByPrefixInOrder() throws Exception {
        ObjectStore store = store();
        for (String path :
                List.of(
                        "manifest/1-0/002",
                        "manifest/1-0/010",
                        "manifest/1-0/001",
                        "manifest/10-0/1",
                        "manifest-x",
                        "data/1")) {
            store.put(path, bytes(path));
        }
        assertThat(store.list("manifest/1-0/"))
                .extracting(ObjectEntry::path)
                .containsExactly("manifest/1-0/001", "manifest/1-0/002", "manifest/1-0/010");
        assertThat(store.list("manifest/1-0/00")).hasSize(2);
        assertThat(store.list("manifest/1")).hasSize(4);
        assertThat(store.list("manifest")).hasSize(5).extracting(ObjectEntry::path).isSorted();
        assertThat(store.list("")).hasSize(6);
        assertThat(store.list("none/")).isEmpty();
        assertThat(store.list("data/1"))
                .extracting(ObjectEntry::path, ObjectEntry::sizeBytes)
                .containsExactly(tuple("data/1", 6L));
        store.delete("data/1");
        assertThat(store.list("data")).isEmpty();
    }

    @Test
    void listsFoldersAndPassesObjectsOn() throws Exception {
        ObjectStore store = store();
        for (String path : List.of("data/10/0/a", "data/10/1/b", "data/9/0/c", "data/x", "y/1/z")) {
            store.put(path, bytes(path));
        }
        assertThat(store.folders("data")).containsExactly("10", "9");
        assertThat(store.folders("data/10")).containsExactly("0", "1");
        assertThat(store.folders("data/10/0")).isEmpty();
        assertThat(store.folders("none")).isEmpty();
        List<ObjectEntry> passed = new ArrayList<>();
        store.forEach("data/1", passed::add);
        assertThat(passed)
                .extracting(ObjectEntry::path, ObjectEntry::sizeBytes)
                .containsExactlyInAnyOrder(tuple("data/10/0/a", 11L), tuple("data/10/1/b", 11L));
    }

    /** The clock of a store is not ours: this only tells days from one another. */
    @Test
    void listingsTellWhenObjectsChanged() throws Exception {
        ObjectStore store = store();
        Instant before = now().minus(Duration.ofDays(1));
        store.put("put", bytes("a"));
        store.createIfAbsent("created", bytes("b"));
        try (ObjectWriter writer = store.create("written")) {
            writer.write(bytes("c"));
            writer.commit();
        }
        assertThat(store.list(""))
                .hasSize(3)
                .extracting(ObjectEntry::modified)
                .allMatch(at -> at.isAfter(before) && at.isBefore(before.plus(Duration.ofDays(2))));
    }

    /** What the store's clock says, within hours. */
    Instant now() {
        return Instant.now();
    }

    @Test
    void refusesBadPaths() throws Exception {
        ObjectStore store = store();
        for (String path :
                List.of(
                        "",
                        "/a",
                        "a/",
                        "a//b",
                        "../a",
                        "a/../b",
                        "a/.tmp",
                        ".tmp/x",
                        "a b",
                        "a\\b",
                        "\u00e4",
                        "x".repeat(769))) {
            assertThatThrownBy(() -> store.put(path, bytes("x")))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store.readFully(path))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store.create(path))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> store.list("../")).isInstanceOf(IllegalArgumentException.class);
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
