package io.stele.flink.sink;

import io.stele.protocol.api.write.PutMode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The serializer of {@link Committable}s in checkpoints and savepoints. Big-endian:
 *
 * <pre>
 * writer id 16 | sequence 8 | length of schema 4 | schema as JSON | number of groups 4
 * a group: length of mode 2 | mode as modified UTF-8 | number of columns 4 | column ids 4 each
 *          | number of rows 4 | length of rows 4 | rows
 * </pre>
 */
final class CommittableSerializer implements SimpleVersionedSerializer<Committable> {
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(Committable committable) throws IOException {
        long size = committable.sizeBytes() + committable.schemaJson().length;
        ByteArrayOutputStream bytes =
                new ByteArrayOutputStream((int) Math.min(Integer.MAX_VALUE >> 1, size + 1_024));
        DataOutputStream output = new DataOutputStream(bytes);
        output.writeLong(committable.writerId().getMostSignificantBits());
        output.writeLong(committable.writerId().getLeastSignificantBits());
        output.writeLong(committable.sequence());
        output.writeInt(committable.schemaJson().length);
        output.write(committable.schemaJson());
        output.writeInt(committable.groups().size());
        for (RowGroup group : committable.groups()) {
            output.writeUTF(group.mode().name());
            output.writeInt(group.columnIds().size());
            for (int id : group.columnIds()) {
                output.writeInt(id);
            }
            output.writeInt(group.rowCount());
            output.writeInt(group.rows().length);
            output.write(group.rows());
        }
        return bytes.toByteArray();
    }

    @Override
    public Committable deserialize(int version, byte[] serialized) throws IOException {
        if (version != VERSION) {
            throw new IOException(
                    "Expected a committable of version %d, found %d; restore the job with the connector that wrote it"
                            .formatted(VERSION, version));
        }
        DataInputStream input = new DataInputStream(new ByteArrayInputStream(serialized));
        UUID writerId = new UUID(input.readLong(), input.readLong());
        long sequence = input.readLong();
        byte[] schemaJson = bytes(input, input.readInt());
        int groupCount = input.readInt();
        List<RowGroup> groups = new ArrayList<>();
        for (int i = 0; i < groupCount; i++) {
            PutMode mode = PutMode.valueOf(input.readUTF());
            int columnCount = input.readInt();
            List<Integer> columnIds = new ArrayList<>();
            for (int column = 0; column < columnCount; column++) {
                columnIds.add(input.readInt());
            }
            int rowCount = input.readInt();
            groups.add(new RowGroup(mode, columnIds, rowCount, bytes(input, input.readInt())));
        }
        return new Committable(writerId, sequence, schemaJson, groups);
    }

    private static byte[] bytes(DataInputStream input, int length) throws IOException {
        byte[] bytes = new byte[length];
        input.readFully(bytes);
        return bytes;
    }
}
