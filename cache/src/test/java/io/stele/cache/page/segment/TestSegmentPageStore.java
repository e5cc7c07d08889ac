package io.stele.cache.page.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageStore.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TestSegmentPageStore {
    private static final PageGeometry GEOMETRY = new PageGeometry(1024, 68);
    private static final int PAGES = 100;
    private static final int PAGE = GEOMETRY.pageBytes();
    private static final int UNIT = GEOMETRY.unitPayloadBytes();

    private final Random random = new Random(1);
    private final SimulatedDisk disk = new SimulatedDisk(random);
    private final byte[] content = new byte[1 << 20];
    private final byte[] buffer = new byte[PAGE];
    private long now;

    TestSegmentPageStore() {
        random.nextBytes(content);
    }

    private static long bytes(int pages) {
        long unit = GEOMETRY.unitBytes() + 3L * IndexJournal.PAGE_RECORD_BYTES;
        return (192 << 10) + pages * 16L * unit;
    }

    private SegmentPageStore open(int pages, Map<String, Double> shares) {
        return open(pages, shares, disk);
    }

    private SegmentPageStore open(int pages, Map<String, Double> shares, SimulatedDisk... disks) {
        List<SegmentPageStore.Directory> directories = new ArrayList<>();
        for (SimulatedDisk one : disks) {
            directories.add(
                    new SegmentPageStore.Directory(
                            "d" + directories.size(), bytes(pages), one::open));
        }
        return new SegmentPageStore(
                new SegmentStoreOptions(GEOMETRY, 64, shares),
                directories,
                () -> now,
                random,
                Runnable::run);
    }

    private CachedFile file(String table) {
        return new CachedFile(table, "file of " + table, content.length);
    }

    private boolean put(SegmentPageStore store, CachedFile file, int page) {
        return store.put(file, page, content, page * PAGE, PAGE);
    }

    private Outcome read(SegmentPageStore store, CachedFile file, int page) {
        return store.read(file, page, 0, buffer, 0, PAGE);
    }

    /** Its opener works without it until its index is there. */
    @Test
    void opensWhileOthersWork() {
        CachedFile file = file("t");
        try (SegmentPageStore store = open(PAGES, Map.of())) {
            assertThat(put(store, file, 0)).isTrue();
        }
        disk.restart(false);
        List<Runnable> tasks = new ArrayList<>();
        SegmentPageStore store = opening(tasks);
        assertThat(store.isAvailable()).isFalse();
        assertThat(store.statistics().directoriesOut()).isEqualTo(1);
        assertThat(read(store, file, 0)).isEqualTo(Outcome.MISS);
        assertThat(put(store, file, 1)).isFalse();
        store.reserve("t", 0.5);
        assertThat(tasks).hasSize(1);
        tasks.removeFirst().run();
        assertThat(store.statistics().directoriesOut()).isZero();
        assertThat(read(store, file, 0)).isEqualTo(Outcome.HIT);
        assertThat(put(store, file, 1)).isTrue();
        store.close();

        disk.restart(false);
        SegmentPageStore closed = opening(tasks);
        closed.close();
        tasks.removeFirst().run();
        assertThat(closed.statistics().directoriesOut()).isEqualTo(1);
        assertThat(read(closed, file, 0)).isEqualTo(Outcome.MISS);
    }

    private SegmentPageStore opening(List<Runnable> tasks) {
        return new SegmentPageStore(
                new SegmentStoreOptions(GEOMETRY, 64, Map.of()),
                List.of(new SegmentPageStore.Directory("d0", bytes(PAGES), disk::open)),
                () -> now,
                random,
                tasks::add,
                OptionalLong.of(1));
    }

    /** A file that is deleted meanwhile does not come back with the directory. */
    @Test
    void whatIsRemovedWhileItOpensIsGone() {
        CachedFile file = file("t");
        try (SegmentPageStore store = open(PAGES, Map.of())) {
            put(store, file, 0);
            put(store, file, 1);
        }
        disk.restart(false);
        List<Runnable> tasks = new ArrayList<>();
        SegmentPageStore store = opening(tasks);
        store.remove(file, 0);
        tasks.removeFirst().run();
        assertThat(store.contains(file, 0)).isFalse();
        assertThat(read(store, file, 1)).isEqualTo(Outcome.HIT);
        // Once: what comes later stays
        assertThat(put(store, file, 0)).isTrue();
        assertThat(read(store, file, 0)).isEqualTo(Outcome.HIT);
    }

    @Test
    void keepsContentsAndRecencyOverARestart() {
        CachedFile file = file("t");
        SegmentPageStore store = open(PAGES, Map.of());
        for (int page = 0; page < PAGES; page++) {
            assertThat(put(store, file, page)).isTrue();
        }
        // The first half is used, so that it is worth more.
        for (int page = 0; page < PAGES / 2; page++) {
            assertThat(read(store, file, page)).isEqualTo(Outcome.HIT);
        }
        store.close();
        disk.restart(false);
        SegmentPageStore again = open(PAGES, Map.of());
        assertThat(again.statistics().pages()).isEqualTo(PAGES);
        for (int page = PAGES; page < PAGES + PAGES / 2; page++) {
            put(again, file, page);
        }
        int kept = 0;
        for (int page = 0; page < PAGES / 2; page++) {
            kept += again.contains(file, page) ? 1 : 0;
        }
        assertThat(kept).as("of the used half").isGreaterThanOrEqualTo(PAGES / 2 - 2);
        assertThat(read(again, file, 0)).isEqualTo(Outcome.HIT);
        assertThat(buffer).isEqualTo(Arrays.copyOf(content, PAGE));
    }

    @Test
    void keepsContentsWhenItIsKilled() {
        CachedFile file = file("t");
        SegmentPageStore store = open(PAGES, Map.of());
        for (int page = 0; page < 50; page++) {
            put(store, file, page);
        }
        disk.restart(false);
        SegmentPageStore again = open(PAGES, Map.of());
        for (int page = 0; page < 50; page++) {
            assertThat(read(again, file, page)).as("page %s", page).isEqualTo(Outcome.HIT);
        }
    }

    private boolean putUnit(SegmentPageStore store, CachedFile file, int page, int unit) {
        int length = Math.min(UNIT, PAGE - unit * UNIT);
        return store.put(file, page, unit * UNIT, content, page * PAGE + unit * UNIT, length);
    }

    private boolean isHere(SegmentPageStore store, CachedFile file, int page, int offset, int end) {
        boolean here = store.contains(file, page, offset, end - offset);
        Outcome outcome = store.read(file, page, offset, buffer, offset, end - offset);
        assertThat(outcome).isEqualTo(here ? Outcome.HIT : Outcome.MISS);
        if (here) {
            int start = page * PAGE;
            assertThat(Arrays.copyOfRange(buffer, offset, end))
                    .isEqualTo(Arrays.copyOfRange(content, start + offset, start + end));
        }
        return here;
    }

    /** However the process ends between. */
    @Test
    void unitsOfAPageComeOneByOne() {
        CachedFile file = file("t");
        SegmentPageStore store = open(PAGES, Map.of());
        assertThat(store.contains(file, 7)).isFalse();
        assertThat(putUnit(store, file, 7, 2)).isTrue();
        assertThat(putUnit(store, file, 7, 0)).isTrue();
        for (boolean closes : new boolean[] {true, false}) {
            if (closes) {
                store.close();
            }
            disk.restart(false);
            store = open(PAGES, Map.of());
            assertThat(store.statistics().pages()).isEqualTo(1);
            assertThat(store.contains(file, 7)).isTrue();
            assertThat(isHere(store, file, 7, 0, UNIT)).isTrue();
            assertThat(isHere(store, file, 7, UNIT - 1, UNIT + 1)).isFalse();
            assertThat(isHere(store, file, 7, UNIT, 2 * UNIT)).isFalse();
            assertThat(isHere(store, file, 7, 2 * UNIT, 3 * UNIT)).isTrue();
            assertThat(isHere(store, file, 7, 3 * UNIT, 4 * UNIT)).isFalse();
            assertThat(isHere(store, file, 7, 4 * UNIT, PAGE)).isFalse();
        }
        // Over what is here: only the others are written
        long used = disk.usedBytes();
        assertThat(store.put(file, 7, content, 7 * PAGE, PAGE)).isTrue();
        // Of 16 units two were here, and room for six more was on disk before the first was moved
        assertThat(disk.usedBytes() - used)
                .isBetween(8L * GEOMETRY.unitBytes(), 9L * GEOMETRY.unitBytes() + 1024);
        assertThat(isHere(store, file, 7, 0, PAGE)).isTrue();
        disk.restart(false);
        assertThat(isHere(open(PAGES, Map.of()), file, 7, 0, PAGE)).isTrue();
    }

    @Test
    void damageOfAUnitTakesItsPageAway() {
        CachedFile file = file("t");
        SegmentPageStore store = open(PAGES, Map.of());
        putUnit(store, file, 0, 0);
        for (int i = 0; i < 1000 && store.statistics().damaged() == 0; i++) {
            disk.damage();
            store.read(file, 0, 0, buffer, 0, UNIT);
        }
        assertThat(store.statistics().damaged()).isEqualTo(1);
        assertThat(store.contains(file, 0)).isFalse();
        assertThat(putUnit(store, file, 0, 1)).isTrue();
        assertThat(isHere(store, file, 0, UNIT, 2 * UNIT)).isTrue();
        assertThat(isHere(store, file, 0, 0, UNIT)).isFalse();
    }

    @Test
    void countsWhatIsTakenOut() {
        CachedFile file = file("t");
        SegmentPageStore store = open(PAGES, Map.of());
        assertThat(putUnit(store, file, 0, 1)).isTrue();
        store.remove(file, 0);
        store.remove(file, 7);
        assertThat(store.statistics().removed()).isOne();
        assertThat(store.statistics().evictions()).isZero();
        assertThat(store.contains(file, 0)).isFalse();
    }

    /** A cache of parts of pages holds as many bytes as one of whole pages. */
    @Test
    void partsOfPagesTakeNoMoreThanTheirSpace() {
        int units = 16 * PAGES / 2;
        CachedFile file = file("t");
        SegmentPageStore store = open(PAGES / 2, Map.of());
        for (int page = 0; page < units; page++) {
            assertThat(putUnit(store, file, page, page % 16)).isTrue();
        }
        assertThat(store.statistics().pages()).isEqualTo(units);
        assertThat(store.statistics().evictions()).isZero();
        // A second unit of a group takes room for all four of it
        for (int page = 0; page < units; page++) {
            putUnit(store, file, page, (page + 1) % 16);
            assertThat(disk.usedBytes()).isLessThanOrEqualTo(bytes(PAGES / 2));
        }
        assertThat(store.statistics().evictions()).isPositive();
        assertThat(unitsHere(store, file, units)).isBetween(units * 4 / 10, units);
    }

    private int unitsHere(SegmentPageStore store, CachedFile file, int pages) {
        int units = 0;
        for (int page = 0; page < pages; page++) {
            for (int unit = 0; unit < 16; unit++) {
                units += isHere(store, file, page, unit * UNIT, (unit + 1) * UNIT) ? 1 : 0;
            }
        }
        return units;
    }

    /**
     * What lies alone in broken groups goes when whole pages need the space: waiting until eviction
     * empties groups by chance would refuse many pages, and cost most of what is here.
     */
    @Test
    void wholePagesFindRoomWherePartsWere() {
        int units = 16 * 4 * PAGES;
        SegmentPageStore store = open(4 * PAGES, Map.of());
        List<Integer> pages = new ArrayList<>();
        for (int page = 0; page < units; page++) {
            putUnit(store, file("t" + page / 1000), page % 1000, page % 16);
            pages.add(page);
        }
        assertThat(store.statistics().pages()).isEqualTo(units);
        // Used in another order than they came
        Collections.shuffle(pages, random);
        for (int page : pages) {
            store.read(file("t" + page / 1000), page % 1000, page % 16 * UNIT, buffer, 0, UNIT);
        }
        CachedFile whole = file("whole");
        for (int page = 0; page < 200; page++) {
            for (int use = 0; use < 4; use++) {
                read(store, whole, page);
            }
            put(store, whole, page);
        }
        assertThat(store.statistics().rejections()).isLessThan(10);
        assertThat(unitsHere(store, whole, 200)).isGreaterThan(16 * 150);
        assertThat(store.statistics().pages()).as("parts stay").isGreaterThan(units / 4);
    }

    @Test
    void aScanDoesNotPushOutWhatIsUsed() {
        CachedFile hot = file("hot");
        CachedFile cold = file("cold");
        SegmentPageStore store = open(PAGES, Map.of());
        for (int round = 0; round < 4; round++) {
            for (int page = 0; page < PAGES / 2; page++) {
                if (read(store, hot, page) == Outcome.MISS) {
                    put(store, hot, page);
                }
            }
        }
        for (int page = 0; page < 1000; page++) {
            if (read(store, cold, page) == Outcome.MISS) {
                put(store, cold, page);
            }
            assertThat(disk.usedBytes()).isLessThanOrEqualTo(bytes(PAGES));
        }
        int kept = 0;
        for (int page = 0; page < PAGES / 2; page++) {
            kept += store.contains(hot, page) ? 1 : 0;
        }
        // All but the one or two that were in the window.
        assertThat(kept).isGreaterThanOrEqualTo(PAGES / 2 - 2);
    }

    @Test
    void aSharedTableKeepsItsShareAndOthersBorrowTheRest() {
        CachedFile mine = file("mine");
        CachedFile other = file("other");
        SegmentPageStore store = open(PAGES, Map.of("mine", 0.3));
        // Nobody uses the share: others have all.
        for (int page = 0; page < 300; page++) {
            read(store, other, page);
            read(store, other, page);
            put(store, other, page);
        }
        assertThat(store.statistics().pages()).isEqualTo(PAGES);
        // It comes back as it is needed, though the other's pages are used more.
        for (int page = 0; page < 30; page++) {
            assertThat(put(store, mine, page)).isTrue();
        }
        for (int page = 0; page < 1000; page++) {
            for (int use = 0; use < 3; use++) {
                read(store, other, page);
            }
            put(store, other, page);
        }
        for (int page = 0; page < 30; page++) {
            assertThat(store.contains(mine, page)).as("page %s", page).isTrue();
        }
    }

    /** The share that a table gets while it has pages, and after its directory came again. */
    @Test
    void aShareReservedLaterHoldsAsWell() {
        SegmentPageStore store = open(PAGES, Map.of("unused", 0.5));
        CachedFile mine = file("mine");
        CachedFile other = file("other");
        put(store, mine, 0);
        store.reserve("mine", 0.3);
        for (int page = 1; page < 30; page++) {
            put(store, mine, page);
        }
        pushOut(store, other);
        for (int page = 0; page < 30; page++) {
            assertThat(store.contains(mine, page)).as("page %s", page).isTrue();
        }
        assertThatThrownBy(() -> store.reserve("more", 0.3)).hasMessageContaining("at most 1");
        store.reserve("mine", 0);
        pushOut(store, file("third"));
        assertThat(store.contains(mine, 0)).isFalse();
    }

    private void pushOut(SegmentPageStore store, CachedFile file) {
        for (int page = 0; page < 1000; page++) {
            for (int use = 0; use < 3; use++) {
                read(store, file, page);
            }
            put(store, file, page);
        }
    }

    @Test
    void withoutAdmissionTheNewestStay() {
        SegmentPageStore store =
                new SegmentPageStore(
                        new SegmentStoreOptions(GEOMETRY, 64, Map.of(), false),
                        List.of(new SegmentPageStore.Directory("d", bytes(PAGES), disk::open)),
                        () -> now,
                        random,
                        Runnable::run);
        CachedFile hot = file("hot");
        CachedFile cold = file("cold");
        for (int page = 0; page < PAGES; page++) {
            put(store, hot, page);
            read(store, hot, page);
        }
        for (int page = 0; page < 3 * PAGES; page++) {
            put(store, cold, page);
        }
        assertThat(store.contains(cold, 3 * PAGES - 1)).isTrue();
        int kept = 0;
        for (int page = 2 * PAGES; page < 3 * PAGES; page++) {
            kept += store.contains(cold, page) ? 1 : 0;
        }
        assertThat(kept).isGreaterThan(PAGES / 10);
    }

    @Test
    void aDamagedPageIsAMissOnceAndGone() {
        CachedFile file = file("t");
        SegmentPageStore store = open(PAGES, Map.of());
        put(store, file, 0);
        for (int i = 0; i < 1000 && store.statistics().damaged() == 0; i++) {
            disk.damage();
            Outcome outcome = read(store, file, 0);
            if (outcome == Outcome.HIT) {
                assertThat(buffer).isEqualTo(Arrays.copyOf(content, PAGE));
            } else {
                assertThat(outcome).isEqualTo(Outcome.DAMAGED);
            }
        }
        assertThat(store.statistics().damaged()).isEqualTo(1);
        assertThat(read(store, file, 0)).isEqualTo(Outcome.MISS);
    }

    @Test
    void aFullDiskMakesTheCacheSmallerUntilThereIsSpace() {
        CachedFile file = file("t");
        SegmentPageStore store = open(PAGES, Map.of());
        for (int page = 0; page < 40; page++) {
            put(store, file, page);
        }
        disk.setMaxBytes(disk.usedBytes() + 500);
        for (int page = 40; page < 200; page++) {
            put(store, file, page);
        }
        long pages = store.statistics().pages();
        assertThat(pages).isBetween(38L, 42L);
        assertThat(store.statistics().writeFailures()).isPositive();
        assertThat(store.statistics().directoriesOut()).isZero();
        disk.setMaxBytes(Long.MAX_VALUE);
        now += 61_000_000_000L;
        for (int page = 200; page < 400; page++) {
            put(store, file, page);
        }
        assertThat(store.statistics().pages()).isEqualTo(PAGES);
    }

    /** Segments have holes: a write below their end may find no space, and the disk works. */
    @Test
    void aFullDiskIsNoFailingOne() {
        CachedFile file = file("t");
        SegmentPageStore store = open(PAGES, Map.of());
        for (int page = 0; page < 20; page++) {
            put(store, file, page);
            putUnit(store, file, 20 + page, 0);
            putUnit(store, file, 20 + page, 1);
        }
        disk.setFull(true);
        for (int page = 20; page < 40; page++) {
            assertThat(putUnit(store, file, page, 2)).isFalse();
        }
        assertThat(store.statistics().writeFailures()).isPositive();
        assertThat(store.statistics().directoriesOut()).isZero();
        assertThat(read(store, file, 7)).isEqualTo(Outcome.HIT);
        assertThat(isHere(store, file, 27, 0, 2 * UNIT)).isTrue();
        disk.setFull(false);
        now += 61_000_000_000L;
        for (int page = 20; page < 40; page++) {
            assertThat(putUnit(store, file, page, 2)).isTrue();
            assertThat(isHere(store, file, page, 0, 3 * UNIT)).isTrue();
        }
    }

    @Test
    void aFailedDirectoryIsTakenOutAndComesBackWithWhatItHas() {
        SimulatedDisk second = new SimulatedDisk(random);
        CachedFile file = file("t");
        SegmentPageStore store = open(PAGES, Map.of(), disk, second);
        for (int page = 0; page < 100; page++) {
            put(store, file, page);
        }
        long before = store.statistics().pages();
        disk.setFailing(true);
        for (int page = 0; page < 100; page++) {
            read(store, file, page);
        }
        assertThat(store.statistics().directoriesOut()).isEqualTo(1);
        assertThat(store.isAvailable()).isTrue();
        // Its pages go to the other directory meanwhile.
        for (int page = 0; page < 50; page++) {
            put(store, file, page);
            assertThat(read(store, file, page)).isEqualTo(Outcome.HIT);
        }
        disk.setFailing(false);
        now += 61_000_000_000L;
        store.isAvailable();
        assertThat(store.statistics().directoriesOut()).isZero();
        assertThat(store.statistics().pages()).isGreaterThan(before);
    }

    @Test
    void directoriesShareByTheirSizes() {
        SimulatedDisk second = new SimulatedDisk(random);
        List<SegmentPageStore.Directory> directories =
                List.of(
                        new SegmentPageStore.Directory("a", bytes(300), disk::open),
                        new SegmentPageStore.Directory("b", bytes(900), second::open));
        SegmentPageStore store =
                new SegmentPageStore(
                        new SegmentStoreOptions(GEOMETRY, 64, Map.of()),
                        directories,
                        () -> now,
                        random,
                        Runnable::run);
        for (int page = 0; page < 800; page++) {
            put(store, file("t"), page);
        }
        double ratio = (double) second.usedBytes() / disk.usedBytes();
        assertThat(ratio).isBetween(1.8, 4.0);
    }

    @Test
    void aSmallerLimitHoldsAfterTheNextStart() {
        CachedFile file = file("t");
        SegmentPageStore store = open(PAGES, Map.of());
        for (int page = 0; page < PAGES; page++) {
            put(store, file, page);
        }
        store.close();
        disk.restart(false);
        SegmentPageStore smaller = open(40, Map.of());
        assertThat(disk.usedBytes()).isLessThanOrEqualTo(bytes(40));
        assertThat(smaller.statistics().pages()).isBetween(20L, 40L);
    }

    @Test
    void anotherLayoutStartsEmpty() {
        CachedFile file = file("t");
        SegmentPageStore store = open(PAGES, Map.of());
        put(store, file, 0);
        store.close();
        disk.restart(false);
        SegmentPageStore other =
                new SegmentPageStore(
                        new SegmentStoreOptions(new PageGeometry(2048, 64), 64, Map.of()),
                        List.of(new SegmentPageStore.Directory("d0", 1 << 20, disk::open)),
                        () -> now,
                        random,
                        Runnable::run);
        assertThat(other.statistics().pages()).isZero();
        assertThat(disk.usedBytes()).isEqualTo(IndexJournal.HEADER_BYTES);
    }

    /** Of the format before this one, whose units were the quarters of a page. */
    @Test
    void anOlderFormatIsEmptiedAndSaysSo() {
        byte[] old =
                HexFormat.of()
                        .parseHex("5354454c4550474900000001001000000000100000000400" + "56b98b71");
        disk.put("index", old);
        disk.put("00000000.pages", new byte[5000]);
        SegmentPageStore store = open(PAGES, Map.of());
        assertThat(store.emptied()).containsExactly("d0");
        assertThat(disk.names()).containsExactly("index");
        assertThat(put(store, file("t"), 0)).isTrue();
        store.close();
        disk.restart(false);
        SegmentPageStore again = open(PAGES, Map.of());
        assertThat(again.emptied()).isEmpty();
        assertThat(read(again, file("t"), 0)).isEqualTo(Outcome.HIT);
    }

    /** A page of another length under the same name is not what is here. */
    @Test
    void theEndOfAPageIsItsOwn() {
        CachedFile shorter = new CachedFile("t", "f", 100);
        CachedFile longer = new CachedFile("t", "f", 200);
        SegmentPageStore store = open(PAGES, Map.of());
        assertThat(store.put(shorter, 0, content, 0, 100)).isTrue();
        assertThat(store.read(longer, 0, 0, buffer, 0, 100)).isEqualTo(Outcome.DAMAGED);
        assertThat(store.put(longer, 0, content, 0, 200)).isTrue();
        assertThat(store.read(longer, 0, 0, buffer, 0, 200)).isEqualTo(Outcome.HIT);
    }

    /** Records that check, but say what cannot be, or what is not so. */
    @Test
    void noJournalKeepsAStoreFromOpening() throws IOException {
        CachedFile file = file("t");
        for (int round = 0; round < 200; round++) {
            SegmentPageStore store = open(PAGES, Map.of());
            for (int page = 0; page < 5; page++) {
                put(store, file, page);
            }
            store.close();
            disk.restart(false);
            ByteBuffer records = ByteBuffer.allocate(40 * IndexJournal.PAGE_RECORD_BYTES);
            for (int i = 0; i < 40; i++) {
                IndexJournal.page(anyRecord(file), records);
            }
            try (CacheFiles files = disk.open();
                    CacheFiles.CacheFile index = files.open("index")) {
                index.write(records.flip(), index.sizeBytes());
            }
            disk.restart(false);
            SegmentPageStore again = open(PAGES, Map.of());
            assertThat(again.statistics().directoriesOut()).isZero();
            for (int page = 0; page < 8; page++) {
                if (read(again, file, page) == Outcome.HIT) {
                    assertThat(buffer)
                            .isEqualTo(Arrays.copyOfRange(content, page * PAGE, (page + 1) * PAGE));
                }
                put(again, file, page);
                assertThat(read(again, file, page)).isEqualTo(Outcome.HIT);
            }
            again.close();
            disk.restart(false);
        }
    }

    private PageRecord anyRecord(CachedFile file) {
        int[] places = new int[4];
        for (int group = 0; group < places.length; group++) {
            places[group] = random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(200) - 1;
        }
        int mask = random.nextBoolean() ? 0xFFFF : random.nextInt(1 << 16);
        return new PageRecord(
                file.key(random.nextInt(8)),
                random.nextInt(1 << 15),
                random.nextInt(256),
                mask,
                places,
                random.nextInt(1 << 16));
    }

    @Test
    void refusesSizesAndSharesThatCannotBe() {
        assertThatThrownBy(() -> open(3, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("16 pages");
        assertThatThrownBy(() -> open(PAGES, Map.of("a", 0.7, "b", 0.4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 1");
    }
}
