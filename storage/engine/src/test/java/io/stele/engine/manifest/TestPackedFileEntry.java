package io.stele.engine.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ColumnStats;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class TestPackedFileEntry {
    private static final int ENTRIES = 5_000;

    private final SplittableRandom random = new SplittableRandom(19);
    private final FileEntryParts parts = new FileEntryParts(random);

    @Test
    void anEntryHasWhatItWasMadeOf() {
        for (int i = 0; i < ENTRIES; i++) {
            String fileId = parts.fileId(i);
            String path = parts.path(fileId);
            Optional<byte[]> min = parts.maybe(parts.bytes());
            Optional<byte[]> max =
                    min.map(least -> random.nextBoolean() ? least : parts.above(least));
            Optional<byte[]> partition = parts.maybe(parts.bytes());
            Map<Integer, ColumnStats> stats = parts.stats();
            Optional<KeyIndexFile> keyIndex = parts.keyIndex(path);
            Optional<Lsn> ingestLsn = parts.maybe(new Lsn(parts.number()));
            OptionalLong firstRowId = parts.maybeNumber();
            OptionalInt indexId = OptionalInt.empty();
            OptionalLong bitmapIndexBytes = parts.maybeNumber();
            OptionalInt checksumBlockBytes = parts.maybeInteger();
            OptionalLong endsLsn = parts.maybeNumber();
            FileEntry entry =
                    new FileEntry(
                            fileId,
                            new TableId(7),
                            FileKind.COLUMN,
                            random.nextInt(7),
                            path,
                            1 + parts.number(),
                            1 + parts.number(),
                            new Lsn(3),
                            new Lsn(Long.MAX_VALUE),
                            ingestLsn,
                            firstRowId,
                            random.nextInt(),
                            min,
                            max,
                            partition,
                            stats,
                            keyIndex,
                            Optional.empty(),
                            indexId,
                            bitmapIndexBytes,
                            checksumBlockBytes,
                            endsLsn,
                            FileSketches.NONE,
                            Optional.empty());
            for (FileEntry same :
                    new FileEntry[] {entry, entry.withLevel(2), entry.withColumnStats(stats)}) {
                assertThat(same.fileId()).isEqualTo(fileId);
                assertThat(same.path()).isEqualTo(path);
                assertThat(same.minKey().map(Arrays::toString))
                        .isEqualTo(min.map(Arrays::toString));
                assertThat(same.maxKey().map(Arrays::toString))
                        .isEqualTo(max.map(Arrays::toString));
                assertThat(same.partition().map(Arrays::toString))
                        .isEqualTo(partition.map(Arrays::toString));
                assertThat(text(same.columnStats())).isEqualTo(text(stats));
                assertThat(same.keyIndex()).isEqualTo(keyIndex);
                assertThat(same.keyIndexPath()).isEqualTo(keyIndex.map(KeyIndexFile::path));
                assertThat(same.ingestLsn()).isEqualTo(ingestLsn);
                assertThat(same.firstRowId()).isEqualTo(firstRowId);
                assertThat(same.bitmapIndexBytes()).isEqualTo(bitmapIndexBytes);
                assertThat(same.checksumBlockBytes()).isEqualTo(checksumBlockBytes);
                assertThat(same.endsLsn()).isEqualTo(endsLsn);
            }
            byte[] key = parts.bytes();
            assertThat(entry.mayContain(key))
                    .isEqualTo(
                            min.isEmpty()
                                    || (Arrays.compareUnsigned(min.get(), key) <= 0
                                            && Arrays.compareUnsigned(key, max.get()) <= 0));
            if (min.isPresent()) {
                byte[] greatest = parts.above(key);
                assertThat(entry.overlaps(key, greatest))
                        .isEqualTo(
                                Arrays.compareUnsigned(min.get(), greatest) <= 0
                                        && Arrays.compareUnsigned(key, max.get()) <= 0);
            }
        }
    }

    private static String text(Map<Integer, ColumnStats> stats) {
        StringBuilder text = new StringBuilder();
        stats.forEach(
                (id, column) ->
                        text.append(id)
                                .append(column.min().map(Arrays::toString))
                                .append(column.max().map(Arrays::toString))
                                .append(column.nullCount())
                                .append(column.hasNaN()));
        return text.toString();
    }
}
