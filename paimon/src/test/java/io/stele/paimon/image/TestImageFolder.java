package io.stele.paimon.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.testing.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestImageFolder {
    private static final TableId TABLE = FabricatedEntries.TABLE;

    @TempDir Path folder;

    @Test
    void reopensWhatItWrote() throws Exception {
        TableImage image = image(TABLE, 7, 1_000);
        new ImageFolder(folder, 1 << 20).write(image);

        TableImage read = new ImageFolder(folder, 1 << 20).open(TABLE, 7).orElseThrow();

        assertThat(read.snapshot()).isEqualTo(image.snapshot());
        assertThat(read.table()).isEqualTo(TABLE);
        assertThat(read.total()).isEqualTo(image.total());
        assertThat(read.partitions()).isEqualTo(image.partitions());
        assertThat(read.retainedBytes()).isEqualTo(image.retainedBytes());
        assertThat(read.find(ImageFilter.ALL)).isEqualTo(image.find(ImageFilter.ALL));
        for (int block = 0; block < image.blocks().size(); block++) {
            assertThat(read.blocks().get(block).keys()).isEqualTo(image.blocks().get(block).keys());
            assertThat(read.blocks().get(block).first())
                    .isEqualTo(image.blocks().get(block).first());
        }
    }

    @Test
    void goldenFile() throws Exception {
        TableImage image = image(TABLE, 7, 100);
        new ImageFolder(folder, 1 << 20).write(image);
        Golden.check("image-2.image", Files.readAllBytes(files().getFirst()));

        Path released = folder.resolve("released");
        Files.write(released, Golden.load("image-2.image"));
        assertThat(ImageFile.open(released).find(ImageFilter.ALL))
                .isEqualTo(image.find(ImageFilter.ALL));
    }

    @Test
    void reopensAnImageWithoutFiles() throws Exception {
        new ImageFolder(folder, 1 << 20).write(image(TABLE, 7, 0));

        assertThat(new ImageFolder(folder, 1 << 20).open(TABLE, 7).orElseThrow().partitions())
                .isEmpty();
    }

    @Test
    void hasNoImageOfALaterSnapshotOrAnotherTable() throws Exception {
        ImageFolder images = new ImageFolder(folder, 1 << 20);
        images.write(image(TABLE, 7, 10));

        assertThat(images.open(TABLE, 6)).isEmpty();
        assertThat(images.open(new TableId(TABLE.location(), "b"), 7)).isEmpty();
        assertThat(images.open(TABLE, 100)).isPresent();
    }

    @Test
    void keepsOneImageOfATable() throws Exception {
        ImageFolder images = new ImageFolder(folder, 1 << 20);
        images.write(image(TABLE, 7, 10));
        images.write(image(TABLE, 8, 10));

        assertThat(files()).hasSize(1);
        assertThat(images.open(TABLE, 100).map(TableImage::snapshotId)).hasValue(8L);

        images.remove(TABLE);
        assertThat(files()).isEmpty();
    }

    @Test
    void deletesTheOldestBeyondItsLimit() throws Exception {
        TableImage image = image(TABLE, 1, 500);
        long maxBytes = image.persistedBytes() * 5 / 2;
        ImageFolder images = new ImageFolder(folder, maxBytes);
        for (int i = 0; i < 4; i++) {
            images.write(image(new TableId("t" + i, "main"), 1, 500));
            for (Path file : files()) { // the clock of the file system is coarse
                FileTime time = Files.getLastModifiedTime(file);
                Files.setLastModifiedTime(file, FileTime.fromMillis(time.toMillis() - 1_000));
            }
        }

        assertThat(files()).hasSizeBetween(1, 3);
        assertThat(images.open(new TableId("t3", "main"), 1)).isPresent();
        assertThat(images.open(new TableId("t0", "main"), 1)).isEmpty();

        new ImageFolder(folder, 10).write(image(new TableId("t5", "main"), 1, 500));
        assertThat(images.open(new TableId("t5", "main"), 1)).isEmpty();
    }

    @Test
    void deletesUnfinishedFiles() throws Exception {
        Files.writeString(folder.resolve("0.unfinished"), "x");
        new ImageFolder(folder, 10);

        assertThat(files()).isEmpty();
    }

    /** Of a file with one byte changed, nothing is read but what was written. */
    @Test
    void noticesEveryDamagedByte() throws Exception {
        TableImage image = image(TABLE, 7, 8);
        new ImageFolder(folder, 1 << 20).write(image);
        Path file = files().getFirst();
        byte[] bytes = Files.readAllBytes(file);
        Path damaged = folder.resolve("damaged");
        for (int position = 0; position < bytes.length; position++) {
            byte[] changed = bytes.clone();
            changed[position] ^= (byte) (1 << position % 8);
            Files.write(damaged, changed);
            assertThatThrownBy(() -> ImageFile.open(damaged).find(ImageFilter.ALL))
                    .as("byte %s of %s", position, bytes.length)
                    .isInstanceOf(DamagedImageException.class);
        }
    }

    @Test
    void setsDamagedFilesAside() throws Exception {
        ImageFolder images = new ImageFolder(folder, 1 << 20);
        images.write(image(TABLE, 7, 150));
        Path file = files().getFirst();
        byte[] bytes = Files.readAllBytes(file);
        for (int size : List.of(0, 10, 36, bytes.length / 2, bytes.length - 1)) {
            Files.write(file, Arrays.copyOf(bytes, size));

            assertThat(images.open(TABLE, 7)).as("%s bytes", size).isEqualTo(Optional.empty());
            assertThat(files()).isEmpty();
        }
        // The image of another table under this one's name.
        images.write(image(new TableId("other", "main"), 7, 10));
        Files.move(files().getFirst(), file);
        assertThat(images.open(TABLE, 7)).isEmpty();
        assertThat(files()).isEmpty();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    private static TableImage image(TableId table, long snapshotId, int count) throws Exception {
        return new ImageBuilder(
                        table, FabricatedEntries.KEYS, 1, new ParallelTasks(Runnable::run, 1))
                .build(
                        FabricatedEntries.snapshot(snapshotId),
                        new FabricatedEntries(snapshotId, 3, 2).entries(count));
    }
}
