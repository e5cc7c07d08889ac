package io.stele.engine.garbage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.index.BlockCache;
import io.stele.columnfile.orc.ColumnFileReaders;
import io.stele.columnfile.orc.ColumnPointReader;
import io.stele.columnfile.orc.DecodedColumns;
import io.stele.engine.datafile.FileIds;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.row.RowCache;
import io.stele.engine.snapshot.Retention;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.LocalObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Obsolete files, and incomplete files of writers that died, in a local folder. */
class TestFileCollector {
    private static final Duration GRACE = Duration.ofHours(1);
    private static final long START = 1_700_000_000_000L;

    @TempDir private Path folder;
    private Path temporary;
    private FileCollector collector;

    private FailingStore store;

    @BeforeEach
    void open() throws IOException {
        store = new FailingStore(new LocalObjectStore(folder));
        temporary = folder.resolve(".tmp");
        TableFiles files =
                new TableFiles(
                        store,
                        new BlockCache("row-blocks", 1, () -> 0),
                        new BlockCache("key-indexes", 1, () -> 0),
                        new ColumnFileReaders("footers", 0, () -> 0, _ -> {}),
                        new ColumnPointReader("row-groups", 1, () -> 0),
                        new DecodedColumns("decoded-columns", 0, () -> 0),
                        new RowCache("rows", 0, () -> 0),
                        new FileIds(1));
        collector =
                new FileCollector(
                        files,
                        new SnapshotRegistry(() -> START, () -> START, new Retention(1), "1-")
                                .readers(),
                        GRACE);
    }

    @Test
    void halfWrittenFilesGoAfterTheGrace() throws IOException {
        Path old = write("old.object", START - GRACE.toMillis() - 1);
        Path present = write("present.object", START - 1_000);
        collector.collect(START);
        assertThat(old).as("at the start").doesNotExist();
        assertThat(present).exists();
        Path late = write("late.object", START - GRACE.toMillis() - 1);
        collector.collect(START + GRACE.toMillis() - 1);
        assertThat(late).as("looked at once a grace").exists();
        assertThat(present).exists();
        Path beingWritten = write("being-written.object", START + GRACE.toMillis() - 500);
        collector.collect(START + GRACE.toMillis());
        assertThat(present).doesNotExist();
        assertThat(late).doesNotExist();
        assertThat(beingWritten).exists();
    }

    @Test
    void aFileThatCannotBeDeletedIsTriedAgainAndHoldsNoOther() throws IOException {
        List<String> paths = List.of("data/1", "data/2", "data/3");
        for (String path : paths) {
            store.put(path, new byte[] {1});
        }
        collector.add(paths);
        store.failing.add("data/2");
        assertThatThrownBy(() -> collector.collect(START)).hasMessage("no data/2");
        assertThat(objects()).containsExactly("data/2");
        store.failing.clear();
        collector.collect(START + DeletionQueue.MIN_PAUSE_MILLIS - 1);
        assertThat(objects()).as("not before the pause").containsExactly("data/2");
        collector.collect(START + DeletionQueue.MIN_PAUSE_MILLIS);
        assertThat(objects()).isEmpty();
    }

    @Test
    void anOrphanThatCouldNotBeDeletedMayStillBeAdopted() throws IOException {
        for (String path : List.of("data/1", "data/2", "data/3")) {
            store.put(path, new byte[] {1});
        }
        collector.beginSearch(_ -> true);
        collector.found(List.of("data/1", "data/2"), START);
        collector.endSearch();
        store.failing.addAll(List.of("data/1", "data/2"));
        long due = START + GRACE.toMillis();
        assertThatThrownBy(() -> collector.collect(due)).hasMessageStartingWith("no data/");
        collector.adopt(List.of("data/1"));
        store.failing.clear();
        collector.collect(due + DeletionQueue.MIN_PAUSE_MILLIS);
        assertThat(objects()).containsExactly("data/1", "data/3");
    }

    @Test
    void whatIsAdoptedDuringASearchIsNotDeleted() throws IOException {
        for (String path : List.of("data/1", "data/2")) {
            store.put(path, new byte[] {1});
        }
        collector.beginSearch(_ -> true);
        collector.adopt(List.of("data/1"));
        collector.found(List.of("data/1", "data/2"), START);
        collector.endSearch();
        collector.collect(START + GRACE.toMillis());
        assertThat(objects()).containsExactly("data/1");
    }

    @Test
    void filesOfATransactionThatCannotBeDeletedAreTriedAgain() throws IOException {
        for (String path : List.of("data/1_a.orc", "data/1_b.orc", "data/2_a.orc", "data/9")) {
            store.put(path, new byte[] {1});
        }
        collector.sweep(List.of("data/1_"), Set.of("data/1_b.orc"));
        collector.sweep(List.of("data/2_"), Set.of());
        collector.add(List.of("data/9"));
        store.failing.add("data/1_a.orc");
        assertThatThrownBy(() -> collector.collect(START)).hasMessage("no data/1_a.orc");
        assertThat(objects()).as("the others").containsExactly("data/1_a.orc", "data/1_b.orc");
        store.failing.clear();
        collector.collect(START + DeletionQueue.MIN_PAUSE_MILLIS);
        assertThat(objects()).containsExactly("data/1_b.orc");
    }

    private List<String> objects() throws IOException {
        return store.list("data/").stream().map(ObjectEntry::path).toList();
    }

    private Path write(String name, long changedMillis) throws IOException {
        Path file = Files.write(temporary.resolve(name), new byte[] {1, 2, 3});
        Files.setLastModifiedTime(file, FileTime.fromMillis(changedMillis));
        return file;
    }

    /** A store that cannot delete some objects. */
    private static final class FailingStore extends ForwardingObjectStore {
        private final Set<String> failing = new HashSet<>();

        FailingStore(ObjectStore store) {
            super(store);
        }

        @Override
        public void delete(String path) throws IOException {
            if (failing.contains(path)) {
                throw new IOException("no " + path);
            }
            super.delete(path);
        }
    }
}
