package io.stele.cache.page.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageBlocks;
import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes of a cache directory, and that torn and changed ones are seen. */
class TestIndexJournal {
    private static final PageRecord PAGE =
            new PageRecord(
                    new PageKey(0x0102030405060708L, 0x1112131415161718L),
                    3,
                    QueueKind.PROTECTED,
                    0x8F21,
                    new int[] {
                        Places.single(5), Places.single(7), Places.whole(8), Places.whole(64)
                    },
                    12);

    private static ByteBuffer page() {
        ByteBuffer target = ByteBuffer.allocate(IndexJournal.PAGE_RECORD_BYTES);
        IndexJournal.page(PAGE, target);
        return target.flip();
    }

    @Test
    void bytesAreThese() {
        ByteBuffer header = ByteBuffer.allocate(IndexJournal.HEADER_BYTES);
        IndexJournal.header(new PageGeometry(1 << 20, 4096), 1024, header);
        assertThat(HexFormat.of().formatHex(header.array()))
                .isEqualTo("5354454c455047490000000200100000000010000000001000000400" + "88524fcc");
        assertThat(HexFormat.of().formatHex(page().array()))
                .isEqualTo(
                        "0103000300000024"
                                + "01020304050607081112131415161718"
                                + "0000000a0000000e0000001100000081"
                                + "8f21000c"
                                + "c158ec82");
        assertThat(HexFormat.of().formatHex(IndexJournal.table(2, "s.t").array()))
                .isEqualTo("0200000200000003" + "732e74" + "f07b2852");
    }

    @Test
    void keysAndBlocksAreThese() {
        PageKey key = new CachedFile("t", "data/1/0/abc.orc", 10).key(2);
        assertThat(Long.toHexString(key.high())).isEqualTo("80f444079f7f1e86");
        assertThat(Long.toHexString(key.low())).isEqualTo("43ac5b27dc72b3ac");
        PageGeometry small = new PageGeometry(1024, 64);
        ByteBuffer block = ByteBuffer.allocate(64);
        byte[] content = "content".getBytes(StandardCharsets.US_ASCII);
        new PageBlocks(small).encode(key, 3, content, 0, content.length, block);
        assertThat(HexFormat.of().formatHex(block.array()))
                .isEqualTo("f3904972" + "636f6e74656e74" + "00".repeat(53));
    }

    @Test
    void readsWhatItWrote() {
        IndexJournal.Record page = IndexJournal.read(page()).orElseThrow();
        assertThat(page.page()).usingRecursiveComparison().isEqualTo(PAGE);
        PageRecord partly = new PageRecord(PAGE.key(), 3, 1, 0x1020, new int[] {-1, 10, -1, 16}, 1);
        ByteBuffer target = ByteBuffer.allocate(IndexJournal.PAGE_RECORD_BYTES);
        IndexJournal.page(partly, target);
        assertThat(IndexJournal.read(target.flip()).orElseThrow().page())
                .usingRecursiveComparison()
                .isEqualTo(partly);
        IndexJournal.Record table = IndexJournal.read(IndexJournal.table(7, "ab")).orElseThrow();
        assertThat(table.table()).isEqualTo(7);
        assertThat(table.name()).isEqualTo("ab");
    }

    @Test
    void everyTornOrChangedRecordEndsTheFile() {
        byte[] whole = page().array();
        for (int length = 0; length < whole.length; length++) {
            assertThat(IndexJournal.read(ByteBuffer.wrap(whole, 0, length))).isEmpty();
        }
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] changed = whole.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(IndexJournal.read(ByteBuffer.wrap(changed))).as("bit %s", bit).isEmpty();
        }
    }

    @Test
    void aBlockVerifiesOnlyAsItself() {
        PageGeometry geometry = new PageGeometry(1024, 64);
        PageBlocks blocks = new PageBlocks(geometry);
        CachedFile file = new CachedFile("t", "f", 4096);
        byte[] content = new byte[geometry.payloadBytes()];
        content[5] = 1;
        ByteBuffer block = ByteBuffer.allocate(64);
        blocks.encode(file.key(1), 4, content, 0, content.length, block);
        byte[] out = new byte[content.length];
        assertThat(blocks.decode(file.key(1), 4, block, 0, out, 0, out.length)).isTrue();
        assertThat(out).isEqualTo(content);
        assertThat(blocks.decode(file.key(1), 5, block, 0, out, 0, 1)).isFalse();
        assertThat(blocks.decode(file.key(2), 4, block, 0, out, 0, 1)).isFalse();
        assertThat(blocks.decode(new CachedFile("t", "g", 1).key(1), 4, block, 0, out, 0, 1))
                .isFalse();
        assertThat(blocks.decode(file.key(1), 4, ByteBuffer.allocate(64), 0, out, 0, 1)).isFalse();
        for (int bit = 0; bit < 64 * 8; bit++) {
            byte[] changed = block.array().clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertThat(blocks.decode(file.key(1), 4, ByteBuffer.wrap(changed), 0, out, 0, 1))
                    .as("bit %s", bit)
                    .isFalse();
        }
    }
}
