package io.stele.engine.garbage;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.columnfile.index.BlockCache;
import io.stele.columnfile.orc.ColumnFileReaders;
import io.stele.columnfile.orc.ColumnPointReader;
import io.stele.columnfile.orc.DecodedColumns;
import io.stele.engine.datafile.FileIds;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.row.RowCache;
import io.stele.engine.snapshot.Retention;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.objectstore.LocalObjectStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What writers that died have left half-written in a local folder. */
class TestFileCollector {
    private static final Duration GRACE = Duration.ofHours(1);
    private static final long START = 1_700_000_000_000L;

    @TempDir private Path folder;
    private Path temporary;
    private FileCollector collector;

    @BeforeEach
    void open() throws IOException {
        LocalObjectStore store = new LocalObjectStore(folder);
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

    private Path write(String name, long changedMillis) throws IOException {
        Path file = Files.write(temporary.resolve(name), new byte[] {1, 2, 3});
        Files.setLastModifiedTime(file, FileTime.fromMillis(changedMillis));
        return file;
    }
}
