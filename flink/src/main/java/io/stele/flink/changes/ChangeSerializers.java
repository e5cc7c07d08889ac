package io.stele.flink.changes;

import io.stele.client.lease.LeasedSnapshot;
import io.stele.flink.source.StateSerializer;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The serializers of splits and of the progress of a change source, for checkpoints and messages.
 * Stateless.
 */
final class ChangeSerializers {
    private static final String OWNER = "a source of changes";
    private static final int VERSION = 1;

    private ChangeSerializers() {}

    private static void writeSplit(ChangeSplit split, DataOutputStream output) throws IOException {
        output.writeLong(split.tableId().value());
        output.writeInt(split.shard());
        output.writeLong(split.position().value());
        output.writeBoolean(split.readsSnapshot());
    }

    private static ChangeSplit readSplit(DataInputStream input) throws IOException {
        return new ChangeSplit(
                new TableId(input.readLong()),
                input.readInt(),
                new Lsn(input.readLong()),
                input.readBoolean());
    }

    static final class OfSplits extends StateSerializer<ChangeSplit> {
        OfSplits() {
            super(OWNER, VERSION);
        }

        @Override
        protected void write(ChangeSplit split, DataOutputStream output) throws IOException {
            writeSplit(split, output);
        }

        @Override
        protected ChangeSplit read(DataInputStream input) throws IOException {
            return readSplit(input);
        }
    }

    static final class OfProgress extends StateSerializer<ChangeProgress> {
        OfProgress() {
            super(OWNER, VERSION);
        }

        @Override
        protected void write(ChangeProgress progress, DataOutputStream output) throws IOException {
            output.writeBoolean(progress.isBegun());
            write(progress.held(), output);
            output.writeInt(progress.splits().size());
            for (ChangeSplit split : progress.splits()) {
                writeSplit(split, output);
            }
        }

        @Override
        protected ChangeProgress read(DataInputStream input) throws IOException {
            boolean isBegun = input.readBoolean();
            Optional<LeasedSnapshot> held = readSnapshot(input);
            int count = input.readInt();
            List<ChangeSplit> splits = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                splits.add(readSplit(input));
            }
            return new ChangeProgress(isBegun, held, splits);
        }
    }
}
