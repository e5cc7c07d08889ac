package io.stele.engine.manifest;

import static io.stele.engine.manifest.ManifestFiles.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.bytes.ByteSink;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ColumnStats;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class TestFileEntryCodec {
    private static final int ENTRIES = 5_000;
    private static final int DAMAGED_ENTRIES = 60;
    private static final String COLUMN_FILE =
            "01dbdf010902fdffffff0fc0843df0a204808080808020ac0238646174612f392f332f30"
                    + "313233616263642d343536372d383961622d636465662d3031323334353637383961622e"
                    + "6f72632e64762d312d3237064d01010201ff020506808080808040b960a806808004a01f"
                    + "630123abcd456789abcdef0123456789ab09646174612f392f332f042e6f726303010304"
                    + "020708010004050000ac020400";
    private static final String SST_FILE =
            "00e42001000101010000041f0201660f656c736577686572652f672e726f770b656c7365"
                    + "77686572652f6900";
    private static final String PATH = "manifest/3-1/base/x";

    private final SplittableRandom random = new SplittableRandom(23);
    private final FileEntryParts parts = new FileEntryParts(random);

    @Test
    void whatIsDecodedIsWhatWasEncoded() {
        int insertions = 0;
        for (int i = 0; i < ENTRIES; i++) {
            FileEntry entry = entry(i);
            byte[] encoded = encode(entry);
            FileEntry decoded = decode(encoded);
            assertThat(decoded).isEqualTo(entry);
            assertThat(json(decoded)).isEqualTo(json(entry));
            assertThat(encode(decoded)).isEqualTo(encoded);
            insertions += decoded.isInsertion() ? 1 : 0;
        }
        assertThat(insertions).isBetween(ENTRIES / 4, ENTRIES * 3 / 4);
    }

    /** Bases have these bytes: other ones for the same entry need another format number. */
    @Test
    void theBytesOfEntriesStay() {
        assertThat(HexFormat.of().formatHex(encode(columnFile()))).isEqualTo(COLUMN_FILE);
        assertThat(decode(HexFormat.of().parseHex(COLUMN_FILE))).isEqualTo(columnFile());
        assertThat(HexFormat.of().formatHex(encode(sstFile()))).isEqualTo(SST_FILE);
        assertThat(decode(HexFormat.of().parseHex(SST_FILE))).isEqualTo(sstFile());
    }

    private static FileEntry columnFile() {
        String id = "0123abcd-4567-89ab-cdef-0123456789ab";
        String path = "data/9/3/" + id + ".orc";
        return new FileEntry(
                id,
                new TableId(9),
                FileKind.COLUMN,
                2,
                path,
                1_000_000,
                70_000,
                new Lsn(1L << 40),
                new Lsn((1L << 40) + 300),
                Optional.of(new Lsn(1L << 41)),
                OptionalLong.of(12_345),
                -3,
                Optional.of(new byte[] {1}),
                Optional.of(new byte[] {1, -1}),
                Optional.of(new byte[] {5, 6}),
                Map.of(
                        1,
                        new ColumnStats(
                                Optional.of(new byte[] {7, 8}),
                                Optional.of(new byte[] {7}),
                                3,
                                false),
                        4,
                        new ColumnStats(Optional.of(new byte[0]), Optional.empty(), -1, true),
                        300,
                        ColumnStats.UNKNOWN),
                Optional.of(new KeyIndexFile("data/9/3/" + id + ".idx", 4_000, OptionalInt.of(99))),
                Optional.of(new DeletionVectorFile(path + ".dv-1-2", 55, 6, new Lsn(77))),
                OptionalInt.empty(),
                OptionalLong.of(808),
                OptionalInt.of(65_536),
                OptionalLong.empty(),
                FileSketches.NONE,
                Optional.of(true));
    }

    private static FileEntry sstFile() {
        return new FileEntry(
                "f",
                new TableId(1),
                FileKind.ROW,
                0,
                "elsewhere/g.row",
                1,
                1,
                new Lsn(0),
                new Lsn(0),
                Optional.empty(),
                OptionalLong.empty(),
                1,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                Optional.of(new KeyIndexFile("elsewhere/i", 2, OptionalInt.empty())),
                Optional.empty(),
                OptionalInt.of(4),
                OptionalLong.empty(),
                OptionalInt.empty(),
                OptionalLong.of(31),
                FileSketches.NONE,
                Optional.empty());
    }

    @Test
    void sketchesAreNotEncoded() {
        FileEntry entry = entry(1);
        assertThat(encode(ManifestFiles.sketched(entry, random))).isEqualTo(encode(entry));
    }

    /** Other values are no damage that can be seen, as long as every part can be read. */
    @Test
    void damagedBytesAreRefusedOrAnEntry() {
        int refused = 0;
        int all = 0;
        for (int i = 0; i < DAMAGED_ENTRIES; i++) {
            byte[] good = encode(entry(i));
            for (int at = 0; at < good.length; at++) {
                for (int mask : new int[] {1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x7f, 0xff}) {
                    byte[] bad = good.clone();
                    bad[at] ^= (byte) mask;
                    refused += isRefused(bad) ? 1 : 0;
                    all++;
                }
            }
            for (int length = 0; length < good.length; length++) {
                isRefused(Arrays.copyOf(good, length));
            }
            isRefused(Arrays.copyOf(good, good.length + 1));
        }
        assertThat(refused).isBetween(all / 10, all * 9 / 10);
    }

    /** Whether bytes are CORRUPT_DATA; else all accessors of the entry can be called. */
    private static boolean isRefused(byte[] bytes) {
        FileEntry entry;
        try {
            entry = decode(bytes);
        } catch (SteleException damage) {
            assertThat(damage.code()).isEqualTo(ErrorCode.CORRUPT_DATA);
            assertThat(damage).hasMessageContaining("row 7 of " + PATH);
            return true;
        }
        assertThat(json(entry).length()).isLessThan(10 * bytes.length + 1_000);
        entry.mayContain(new byte[] {5});
        entry.indexedMetadata();
        assertThat(entry.immutablePaths()).contains(entry.path());
        assertThat(entry.toString()).isNotEmpty();
        return false;
    }

    @Test
    void anEntryEndsWhereItShould() {
        byte[] good = encode(entry(3));
        byte[] within = new byte[good.length + 10];
        System.arraycopy(good, 0, within, 4, good.length);
        assertThat(FileEntryCodec.decode(within, 4, good.length, PATH, 7)).isEqualTo(decode(good));
        assertThatThrownBy(() -> FileEntryCodec.decode(within, 4, good.length + 1, PATH, 7))
                .hasMessage(
                        "Expected the entry of a file, found in row 7 of manifest/3-1/base/x:"
                                + " Expected the end after the last column, found "
                                + decode(good).packed().length);
        assertThatThrownBy(() -> FileEntryCodec.decode(within, 4, 3, PATH, 7))
                .hasMessageContaining("row 7 of manifest/3-1/base/x: Expected an entry to its end");
    }

    private static byte[] encode(FileEntry entry) {
        ByteSink sink = new ByteSink(16);
        FileEntryCodec.encode(entry, sink);
        return sink.toByteArray();
    }

    private static FileEntry decode(byte[] bytes) {
        return FileEntryCodec.decode(bytes, 0, bytes.length, PATH, 7);
    }

    private FileEntry entry(int number) {
        FileKind kind = random.nextBoolean() ? FileKind.ROW : FileKind.COLUMN;
        String fileId = parts.fileId(number);
        String path = parts.path(fileId);
        Optional<byte[]> min = parts.maybe(parts.bytes());
        long minLsn = parts.number();
        return new FileEntry(
                fileId,
                new TableId(1 + parts.number() / 2),
                kind,
                random.nextInt(7),
                path,
                1 + parts.number() / 2,
                1 + parts.number() / 2,
                new Lsn(minLsn),
                new Lsn(minLsn + random.nextLong(Long.MAX_VALUE - minLsn)),
                parts.maybe(new Lsn(parts.number())),
                parts.maybeNumber(),
                random.nextInt(),
                min,
                min.map(least -> random.nextBoolean() ? least : parts.above(least)),
                parts.maybe(parts.bytes()),
                random.nextInt(8) == 0 ? Map.of() : parts.stats(),
                parts.keyIndex(path),
                random.nextBoolean()
                        ? Optional.empty()
                        : Optional.of(
                                new DeletionVectorFile(
                                        path + ".dv-1",
                                        1 + parts.number() / 2,
                                        random.nextInt(Integer.MAX_VALUE),
                                        new Lsn(parts.number()))),
                kind == FileKind.ROW && random.nextBoolean()
                        ? OptionalInt.of(1 + random.nextInt(1_000))
                        : OptionalInt.empty(),
                parts.maybeNumber(),
                parts.maybeInteger(),
                parts.maybeNumber(),
                FileSketches.NONE,
                random.nextBoolean() ? Optional.of(true) : Optional.empty());
    }
}
