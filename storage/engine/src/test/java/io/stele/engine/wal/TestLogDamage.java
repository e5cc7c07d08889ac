package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.B;
import static io.stele.engine.wal.LogFixture.SMALL;
import static io.stele.engine.wal.LogFixture.collector;
import static io.stele.engine.wal.LogFixture.commitAll;
import static io.stele.engine.wal.LogFixture.read;
import static io.stele.engine.wal.LogFixture.recover;
import static io.stele.engine.wal.LogFixture.unthreaded;
import static io.stele.engine.wal.LogFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.wal.LogFixture.Read;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Recovery of damaged logs: a torn tail is cut, everything else is refused, and nothing
 * acknowledged is ever left out.
 */
class TestLogDamage {
    private static final LogOptions ONE_SEGMENT = new LogOptions(1 << 20, 500, 10_000, 5_000);

    /** A log in one segment and where each of its groups ends. */
    private record Log(
            InMemoryLogFiles files,
            List<Read> records,
            List<Integer> groupEnds,
            List<Integer> recordsUpTo) {
        byte[] bytes() throws IOException {
            return files.bytes(1);
        }

        /** The records of the groups that end at or before this byte. */
        List<Read> upTo(int size) {
            int count = 0;
            for (int i = 0; i < groupEnds.size(); i++) {
                if (groupEnds.get(i) <= size) {
                    count = recordsUpTo.get(i);
                }
            }
            return records.subList(0, count);
        }

        InMemoryLogFiles with(byte[] changed) {
            InMemoryLogFiles result = LogFixture.files();
            result.replace(1, changed);
            return result;
        }
    }

    private static Log log(String... lastGroup) throws IOException {
        InMemoryLogFiles files = LogFixture.files();
        NodeLog log =
                NodeLog.unthreaded(
                        RecoveredLog.recover(
                                files, ONE_SEGMENT, LogFixture.clock(), (s, l, t, p) -> {}),
                        new LogFixture.Remembering());
        List<Integer> groupEnds = new ArrayList<>();
        List<Integer> recordsUpTo = new ArrayList<>();
        List<List<String>> groups =
                List.of(
                        List.of("first"),
                        List.of("", "x".repeat(300)),
                        List.of("third"),
                        List.of(lastGroup));
        int count = 0;
        for (List<String> group : groups) {
            for (String text : group) {
                write(log, count % 2 == 0 ? A : B, text);
                count++;
            }
            commitAll(log);
            groupEnds.add(files.bytes(1).length);
            recordsUpTo.add(count);
        }
        return new Log(files, read(files), groupEnds, recordsUpTo);
    }

    @Test
    void tornTailAtEveryByteIsCut() throws Exception {
        Log log = log("fourth", "end", "y".repeat(700));
        for (int size = 0; size <= log.bytes().length; size++) {
            InMemoryLogFiles torn = log.with(Arrays.copyOf(log.bytes(), size));
            List<Read> found = new ArrayList<>();
            RecoveredLog recovered =
                    RecoveredLog.recover(torn, SMALL, LogFixture.clock(), collector(found));
            assertThat(found).as("cut at %d", size).isEqualTo(log.upTo(size));
            boolean whole = size == 0 || log.groupEnds().contains(size);
            assertThat(recovered.cutTail().isEmpty()).as("cut at %d", size).isEqualTo(whole);

            // The log goes on behind what is left.
            NodeLog continued = NodeLog.unthreaded(recovered, new LogFixture.Remembering());
            write(continued, A, "after");
            continued.close();
            List<Read> longer = read(torn);
            assertThat(longer).hasSize(found.size() + 1);
            assertThat(longer.subList(0, found.size())).isEqualTo(found);
        }
    }

    @Test
    void zerosBehindTheLastGroupAreCut() throws Exception {
        Log log = log("fourth");
        for (int zeros : List.of(1, 43, 44, 511, 512, 5_000)) {
            InMemoryLogFiles padded =
                    log.with(Arrays.copyOf(log.bytes(), log.bytes().length + zeros));
            assertThat(read(padded)).isEqualTo(log.records());
            assertThat(padded.bytes(1)).isEqualTo(log.bytes());
        }
    }

    @Test
    void anyLostSectorsOfTheLastGroupAreCut() throws Exception {
        Log log = log("y".repeat(400), "z".repeat(1_200));
        int start = log.groupEnds().get(2);
        List<int[]> sectors = new ArrayList<>();
        for (int at = start; at < log.bytes().length; at = (at / 512 + 1) * 512) {
            sectors.add(new int[] {at, Math.min((at / 512 + 1) * 512, log.bytes().length)});
        }
        assertThat(sectors).hasSizeGreaterThan(3);
        for (int lost = 1; lost < 1 << sectors.size(); lost++) {
            byte[] bytes = log.bytes();
            for (int i = 0; i < sectors.size(); i++) {
                if ((lost >> i & 1) == 1) {
                    Arrays.fill(bytes, sectors.get(i)[0], sectors.get(i)[1], (byte) 0);
                }
            }
            assertThat(read(log.with(bytes)))
                    .as("lost sectors %s", Integer.toBinaryString(lost))
                    .isEqualTo(log.upTo(start));
        }
    }

    /** With the head of its segment, which nothing else names. */
    @Test
    void anyLostSectorsOfTheFirstGroupOfASegmentAreCut() throws Exception {
        Log log = log("fourth");
        NodeLog next = NodeLog.unthreaded(recover(log.files()), new LogFixture.Remembering());
        write(next, A, "y".repeat(400));
        write(next, B, "z".repeat(1_200));
        commitAll(next);
        byte[] whole = log.files().bytes(2);
        int sectors = (whole.length + 511) / 512;
        assertThat(sectors).isGreaterThan(3);
        for (int lost = 1; lost < 1 << sectors; lost++) {
            byte[] bytes = whole.clone();
            for (int i = 0; i < sectors; i++) {
                if ((lost >> i & 1) == 1) {
                    Arrays.fill(bytes, 512 * i, Math.min(512 * (i + 1), bytes.length), (byte) 0);
                }
            }
            InMemoryLogFiles torn = log.with(log.bytes());
            torn.replace(2, bytes);
            assertThat(read(torn))
                    .as("lost sectors %s", Integer.toBinaryString(lost))
                    .isEqualTo(log.records());
        }
    }

    @Test
    void lostSectorsOfAnEarlierGroupAreRefused() throws Exception {
        Log log = log("y".repeat(400), "z".repeat(1_200));
        byte[] bytes = log.bytes();
        for (int at = 0; at < log.groupEnds().get(2); at += 512) {
            byte[] changed = bytes.clone();
            Arrays.fill(changed, at, (at / 512 + 1) * 512, (byte) 0);
            assertRefused(log.with(changed));
        }
    }

    @Test
    void wipedHeadersInFrontOfLaterGroupsAreRefused() throws Exception {
        int laterHeader = 0;
        int laterEnd = 0;
        for (int first = 0; first < 520; first++) {
            InMemoryLogFiles files = LogFixture.files();
            NodeLog log = unthreaded(files);
            List<Integer> ends = new ArrayList<>();
            for (String text : List.of("x".repeat(first), "y".repeat(200), "z".repeat(600))) {
                write(log, A, text);
                commitAll(log);
                ends.add(files.bytes(1).length);
            }
            // From the header of the second group to the end of its sector.
            byte[] bytes = files.bytes(1);
            int sectorEnd = (ends.get(0) / 512 + 1) * 512;
            Arrays.fill(bytes, ends.get(0), sectorEnd, (byte) 0);
            if (ends.get(1) < sectorEnd) {
                // The header of the third is gone, too; its end is left.
                laterEnd++;
            } else {
                // The header of the third is left; its end is not the end of the file.
                bytes = Arrays.copyOf(bytes, bytes.length + 1_000);
                laterHeader++;
            }
            InMemoryLogFiles wiped = LogFixture.files();
            wiped.replace(1, bytes);
            assertRefused(wiped);
        }
        assertThat(laterHeader).isPositive();
        assertThat(laterEnd).isPositive();
    }

    @Test
    void flippedBitAnywhereIsRefused() throws Exception {
        // Last groups: ordinary, with sectors of zeros, and ending in a sector of its own.
        String zeros = "\0".repeat(1_500);
        for (Log log :
                List.of(
                        log("fourth", "y".repeat(700)),
                        log("a", "b", zeros),
                        log(zeros + "\1" + zeros),
                        log(""))) {
            byte[] bytes = log.bytes();
            for (int bit = 0; bit < bytes.length * 8; bit++) {
                byte[] changed = bytes.clone();
                changed[bit / 8] ^= (byte) (1 << bit % 8);
                assertRefused(log.with(changed));
            }
        }
    }

    private static void assertRefused(InMemoryLogFiles files) throws IOException {
        byte[] before = files.bytes(1);
        assertThatThrownBy(() -> read(files))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageMatching("Expected .*, found .* in memory:1 at offset \\d+");
        assertThat(files.bytes(1)).as("a refused log stays as it is").isEqualTo(before);
    }

    @Test
    void refusalOfABadGroupNamesBothChecksums() throws Exception {
        Log log = log("fourth");
        byte[] bytes = log.bytes();
        int start = log.groupEnds().get(2);
        bytes[start + WalFormat.GROUP_HEADER_BYTES + 2] ^= 1;
        int expected = GroupHeader.find(ByteBuffer.wrap(bytes), start).orElseThrow().checksum();
        int found =
                Checksums.crc32c(
                        ByteBuffer.wrap(bytes),
                        start + WalFormat.GROUP_HEADER_BYTES,
                        bytes.length - start - WalFormat.GROUP_HEADER_BYTES);
        assertThatThrownBy(() -> read(log.with(bytes)))
                .hasMessage(
                        "Expected checksum %08x of group 4, found %08x in memory:1 at offset %d",
                        expected, found, start);
    }

    @Test
    void refusesOtherVersions() throws Exception {
        Log log = log("fourth");
        byte[] bytes = log.bytes();
        ByteBuffer header = ByteBuffer.wrap(bytes);
        header.putInt(8, 3);
        header.putInt(32, SegmentHeader.expectedChecksum(header));
        assertThatThrownBy(() -> read(log.with(bytes)))
                .hasMessage("Expected log version 1 or 2, found 3 in memory:1 at offset 8");
    }

    @Test
    void missingSegmentsAreRefused() throws Exception {
        InMemoryLogFiles files = longLog();
        int last = files.segments().size();
        assertThat(last).isGreaterThan(4);
        for (long segment = 1; segment < last; segment++) {
            InMemoryLogFiles without = copy(files);
            without.delete(segment);
            long missing = segment;
            assertThatThrownBy(() -> read(without))
                    .isInstanceOf(SteleException.class)
                    .hasMessageContaining(
                            "Expected log segment %d, found that it is missing", missing);
        }
    }

    @Test
    void segmentsMissingBelowATrimAreFine() throws Exception {
        InMemoryLogFiles files = longLog();
        NodeLog log = unthreaded(files);
        Lsn third = read(files).get(10).lsn();
        assertThat(log.trim(Map.of(A, third), ReleasedRecords.NONE)).isPositive();
        log.close();
        assertThat(files.segments().getFirst()).isGreaterThan(1);
        assertThat(read(files)).extracting(Read::lsn).last().isNotNull();
        InMemoryLogFiles without = copy(files);
        without.delete(files.segments().getFirst());
        assertThatThrownBy(() -> read(without)).hasMessageContaining("is missing");
    }

    @Test
    void exchangedAndTruncatedSegmentsAreRefused() throws Exception {
        InMemoryLogFiles files = longLog();
        InMemoryLogFiles exchanged = copy(files);
        exchanged.replace(2, files.bytes(3));
        assertThatThrownBy(() -> read(exchanged))
                .hasMessage("Expected segment number 2, found 3 in memory:2 at offset 16");

        byte[] second = files.bytes(2);
        for (int size = 0; size < second.length; size++) {
            InMemoryLogFiles truncated = copy(files);
            truncated.replace(2, Arrays.copyOf(second, size));
            assertThatThrownBy(() -> read(truncated))
                    .as("truncated to %d", size)
                    .isInstanceOf(SteleException.class);
        }
    }

    @Test
    void readsALogTwiceWithTheSameResult() throws Exception {
        InMemoryLogFiles files = longLog();
        List<Read> first = read(files);
        assertThat(read(files)).isEqualTo(first).hasSize(40);
        RecoveredLog recovered = LogFixture.recover(files);
        assertThat(recovered.cutTail()).isEqualTo(Optional.empty());
        assertThat(recovered.lastLsns()).isEqualTo(Map.of(A, first.getLast().lsn()));
    }

    private static InMemoryLogFiles longLog() throws IOException {
        InMemoryLogFiles files = LogFixture.files();
        NodeLog log = unthreaded(files);
        for (int i = 0; i < 40; i++) {
            write(log, A, "x".repeat(300));
        }
        log.close();
        return files;
    }

    private static InMemoryLogFiles copy(InMemoryLogFiles files) throws IOException {
        InMemoryLogFiles result = LogFixture.files();
        for (long segment : files.segments()) {
            result.replace(segment, files.bytes(segment));
        }
        return result;
    }
}
