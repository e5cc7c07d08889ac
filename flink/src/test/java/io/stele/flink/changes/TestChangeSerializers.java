package io.stele.flink.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** States of sources of changes come back from their bytes, which never change meaning. */
final class TestChangeSerializers {
    private static final ChangeSerializers.OfSplits SPLITS = new ChangeSerializers.OfSplits();
    private static final ChangeSerializers.OfProgress PROGRESS = new ChangeSerializers.OfProgress();

    private static ChangeSplit split(int shard, boolean readsSnapshot) {
        return new ChangeSplit(
                new TableId(7), shard, Lsn.of(1_767_322_445_123L, shard), readsSnapshot);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void splitsComeBack(boolean readsSnapshot) throws IOException {
        ChangeSplit split = split(3, readsSnapshot);
        assertThat(SPLITS.deserialize(SPLITS.getVersion(), SPLITS.serialize(split)))
                .isEqualTo(split);
    }

    /** Of a checkpoint that an earlier build may have written. */
    @Test
    void theBytesOfASplitStay() throws IOException {
        byte[] bytes = SPLITS.serialize(new ChangeSplit(new TableId(7), 3, new Lsn(258), true));
        assertThat(HexFormat.of().formatHex(bytes))
                .isEqualTo("0000000000000007" + "00000003" + "0000000000000102" + "01");
        assertThat(SPLITS.getVersion()).isEqualTo(1);
    }

    @Test
    void progressComesBack() throws IOException {
        for (ChangeProgress progress :
                List.of(
                        ChangeProgress.NONE,
                        new ChangeProgress(true, Optional.empty(), List.of()),
                        new ChangeProgress(
                                true,
                                Optional.of(new LeasedSnapshot("lease", new Lsn(77))),
                                List.of(split(0, true), split(2, false))))) {
            assertThat(PROGRESS.deserialize(PROGRESS.getVersion(), PROGRESS.serialize(progress)))
                    .isEqualTo(progress);
        }
    }

    @Test
    void anotherVersionIsRefused() throws IOException {
        byte[] split = SPLITS.serialize(split(0, true));
        assertThatThrownBy(() -> SPLITS.deserialize(2, split))
                .isInstanceOf(IOException.class)
                .hasMessage("Expected the state of a source of changes of version 1, found 2");
        byte[] progress = PROGRESS.serialize(ChangeProgress.NONE);
        assertThatThrownBy(() -> PROGRESS.deserialize(2, progress)).isInstanceOf(IOException.class);
    }
}
