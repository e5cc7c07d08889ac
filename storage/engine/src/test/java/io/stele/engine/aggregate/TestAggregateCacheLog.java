package io.stele.engine.aggregate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.cache.BenefitCacheOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestAggregateCacheLog {
    private static final long MAX_BYTES = 100_000;

    @TempDir private Path directory;
    private final List<String> damage = new ArrayList<>();
    private String history = "warehouse a, log 1";
    private final Map<AggregateCacheKey, String> found = new LinkedHashMap<>();

    private AggregateCacheLog open() throws IOException {
        return open(Runnable::run);
    }

    private AggregateCacheLog open(Executor writes) throws IOException {
        found.clear();
        return AggregateCacheLog.open(
                directory,
                history,
                MAX_BYTES,
                writes,
                damage::add,
                (key, state, nanos) -> found.put(key, new String(state, UTF_8) + " " + nanos));
    }

    private static AggregateCacheKey key(int number) {
        return new AggregateCacheKey("fragment", "data/1/0/" + number + ".orc", number);
    }

    private void write(int from, int to) throws IOException {
        try (AggregateCacheLog log = open()) {
            for (int i = from; i < to; i++) {
                log.append(key(i), ("state " + i).getBytes(UTF_8), i);
            }
        }
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
        }
    }

    @Test
    void aRestartFindsWhatWasWritten() throws IOException {
        write(0, 3);
        write(3, 5);
        open().close();
        assertThat(found).hasSize(5).containsEntry(key(4), "state 4 4");
        assertThat(damage).isEmpty();
        assertThat(segments()).hasSize(2);
    }

    @Test
    void everyDamagedByteIsFoundAndWhatIsBehindItForgotten() throws IOException {
        write(0, 3);
        Path segment = segments().getFirst();
        byte[] whole = Files.readAllBytes(segment);
        int entryBytes = (whole.length - 8) / 3;
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x20;
            Files.write(segment, damaged);
            damage.clear();
            open().close();
            int entry = Math.max(0, (at - 8) / entryBytes);
            assertThat(found).as("byte %s", at).hasSize(at < 8 ? 0 : entry);
            assertThat(damage).as("byte %s", at).hasSize(1);
        }
    }

    @Test
    void aTornTailIsForgotten() throws IOException {
        write(0, 3);
        Path segment = segments().getFirst();
        byte[] whole = Files.readAllBytes(segment);
        int entryBytes = (whole.length - 8) / 3;
        for (int length = 0; length < whole.length; length++) {
            Files.write(segment, java.util.Arrays.copyOf(whole, length));
            open().close();
            assertThat(found)
                    .as("%s bytes", length)
                    .hasSize(Math.max(0, (length - 8) / entryBytes));
        }
    }

    @Test
    void theOldestMakeRoom() throws IOException {
        for (int round = 0; round < 60; round++) {
            try (AggregateCacheLog log = open()) {
                for (int i = 0; i < 10; i++) {
                    log.append(key(10 * round + i), new byte[500], 1);
                }
            }
            long bytes = 0;
            for (Path segment : segments()) {
                bytes += Files.size(segment);
            }
            assertThat(bytes).isLessThanOrEqualTo(MAX_BYTES + 1_000);
        }
        open().close();
        assertThat(found).containsKey(key(599)).doesNotContainKey(key(0));
        assertThat(found.size()).isGreaterThan(100);
    }

    /** The same number of deleted rows may be other rows there. */
    @Test
    void resultsOfAnotherHistoryAreDeleted() throws IOException {
        write(0, 3);
        history = "warehouse a, log 2";
        open().close();
        assertThat(found).isEmpty();
        assertThat(segments()).isEmpty();
        assertThat(damage)
                .singleElement()
                .asString()
                .contains("expected those of warehouse a, log 2, found those of warehouse a, log 1")
                .contains(directory.toString());
        write(3, 4);
        history = "warehouse a, log 1"; // does not come back with it
        open().close();
        assertThat(found).isEmpty();
        write(4, 5);
        open().close();
        assertThat(found).containsOnlyKeys(key(4));
    }

    @Test
    void withoutAHistoryThatCanBeReadResultsAreDeleted() throws IOException {
        Path file = directory.resolve("history");
        byte[][] others = {
            {}, "warehouse a".getBytes(UTF_8), {(byte) 0xff, 0}, new byte[1 << 20],
        };
        for (byte[] other : others) {
            write(0, 3);
            Files.write(file, other);
            damage.clear();
            open().close();
            assertThat(found).isEmpty();
            assertThat(segments()).isEmpty();
            assertThat(damage).hasSize(1);
        }
        write(0, 3);
        Files.delete(file);
        open().close();
        assertThat(segments()).isEmpty();
        damage.clear();
        Files.delete(file);
        open().close();
        assertThat(damage).as("there was nothing to delete").isEmpty();
    }

    /** Nobody waits for what was there; what comes meanwhile is written behind it. */
    @Test
    void isOpenBeforeItIsRead() throws IOException {
        write(0, 3);
        ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        try (AggregateCacheLog log = open(tasks::add)) {
            assertThat(found).isEmpty();
            assertThat(log.loaded()).isNotDone();
            log.append(key(3), "state 3".getBytes(UTF_8), 3);
            tasks.remove().run();
            assertThat(found).containsOnlyKeys(key(0), key(1), key(2));
            assertThat(log.loaded()).isDone();
            tasks.remove().run();
        }
        open().close();
        assertThat(found).containsOnlyKeys(key(0), key(1), key(2), key(3));
        try (AggregateCacheLog log = open(tasks::add)) {
            log.endLoading();
            tasks.remove().run();
            assertThat(found).isEmpty();
            assertThat(log.loaded()).isDone();
        }
        assertThat(damage).isEmpty();
    }

    @Test
    void aDirectoryIsOfOneProcess() throws IOException {
        try (AggregateCacheLog log = open()) {
            assertThatThrownBy(this::open)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("aggregate cache directory");
            log.append(key(1), new byte[1], 1);
        }
    }

    @Test
    void aCacheKeepsItsResultsOverARestart() throws IOException {
        AggregateCache first = cache();
        try (AggregateCacheLog log = openFor(first)) {
            first.keepIn(log);
            assertThat(first.claim(key(1)).value()).isNull();
            first.finish(key(1), Optional.of("kept".getBytes(UTF_8)), 7);
        }
        AggregateCache second = cache();
        try (AggregateCacheLog log = openFor(second)) {
            second.keepIn(log);
            assertThat(second.claim(key(1)).value()).isEqualTo("kept".getBytes(UTF_8));
            assertThat(second.statistics().savedNanos()).isEqualTo(7);
        }
    }

    private AggregateCache cache() {
        return new AggregateCache(new BenefitCacheOptions(10_000, 1_000, 0), () -> 0, damage::add);
    }

    private AggregateCacheLog openFor(AggregateCache cache) throws IOException {
        return AggregateCacheLog.open(
                directory, history, MAX_BYTES, Runnable::run, damage::add, cache::restore);
    }
}
