package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.B;
import static io.stele.engine.wal.LogFixture.C;
import static io.stele.engine.wal.LogFixture.commitAll;
import static io.stele.engine.wal.LogFixture.read;
import static io.stele.engine.wal.LogFixture.text;
import static io.stele.engine.wal.LogFixture.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.wal.LogFixture.Read;
import io.stele.protocol.Lsn;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TestWalFormat {
    private static final LogOptions OPTIONS = new LogOptions(1 << 20, 300, 10_000, 5_000);

    /** The bytes of version 1: whoever changes them makes a version 2 that still reads these. */
    @Test
    void goldenSegment() throws Exception {
        InMemoryLogFiles files = LogFixture.files();
        NodeLog log =
                NodeLog.unthreaded(
                        RecoveredLog.recover(
                                files, OPTIONS, LogFixture.clock(), (s, l, t, p) -> {}),
                        new LogFixture.Remembering());
        write(log, A, "one");
        log.append(B, RecordType.PREPARE, text("two"), null);
        commitAll(log);
        LogHold hold = log.hold(Set.of(B, C)).join();
        hold.append(B, RecordType.OUTCOME, text("three"), null);
        hold.release();
        // Large enough that the end of the group is moved to the next sector.
        write(log, A, "z".repeat(210));
        log.close();

        byte[] golden = golden();
        assertThat(HexFormat.of().formatHex(files.bytes(1)))
                .isEqualTo(HexFormat.of().formatHex(golden));
        InMemoryLogFiles old = LogFixture.files();
        old.replace(1, golden);
        long first = 1_000L << 16;
        assertThat(read(old))
                .containsExactly(
                        new Read(A, new Lsn(first), RecordType.WRITE, "one"),
                        new Read(B, new Lsn(first + 1), RecordType.PREPARE, "two"),
                        new Read(B, new Lsn(first + 2), RecordType.OUTCOME, "three"),
                        new Read(C, new Lsn(first + 2), RecordType.VOID, ""),
                        new Read(A, new Lsn(first + 3), RecordType.WRITE, "z".repeat(210)));
        assertThat(golden.length).isEqualTo(512);
    }

    private static byte[] golden() throws Exception {
        try (var stream = TestWalFormat.class.getResourceAsStream("segment-v1.hex")) {
            String hex =
                    new String(
                            java.util.Objects.requireNonNull(stream).readAllBytes(),
                            StandardCharsets.US_ASCII);
            return HexFormat.of().parseHex(hex.lines().collect(Collectors.joining()));
        }
    }

    @Test
    void groupHeadersNeverCrossSectors() {
        for (int end = 0; end < 2_000; end++) {
            int start = end + WalFormat.padding(end);
            assertThat(start % 512).isLessThanOrEqualTo(512 - WalFormat.GROUP_HEADER_BYTES);
        }
    }

    @Test
    void findsWeakSectorsWhereverBuffersEnd() {
        byte[] bytes = new byte[3_000];
        java.util.Arrays.fill(bytes, (byte) 0x55);
        assertThat(weak(bytes, 100)).isFalse();
        // The sector from 412 to 924 of these bytes, which start at 100 of the file.
        java.util.Arrays.fill(bytes, 412, 924, (byte) 0);
        assertThat(weak(bytes, 100)).isTrue();
        assertThat(weak(bytes, 101)).as("zeros across two sectors").isFalse();
        bytes[700] = 4;
        assertThat(weak(bytes, 100)).as("one bit").isTrue();
        bytes[701] = 1;
        assertThat(weak(bytes, 100)).as("two bits").isFalse();
    }

    private static boolean weak(byte[] bytes, int offset) {
        Set<Boolean> results = new java.util.HashSet<>();
        for (int piece : List.of(1, 7, 8, 100, 512, 3_000)) {
            SectorTally tally = new SectorTally(offset);
            for (int at = 0; at < bytes.length; at += piece) {
                tally.add(java.nio.ByteBuffer.wrap(bytes, at, Math.min(piece, bytes.length - at)));
            }
            results.add(tally.weak());
        }
        assertThat(results).hasSize(1);
        return results.iterator().next();
    }
}
