package io.stele.protocol.arrow;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.arrow.ArrowType.Form;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.RecordBatch;
import org.jspecify.annotations.Nullable;

/**
 * A validating decoder of the columns of one Arrow record batch. It reads the nodes and buffers in
 * order and checks that they are columns of the expected types. Used for one batch; confined to one
 * thread.
 */
final class ColumnDecoder {
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).order(ByteOrder.LITTLE_ENDIAN);

    /**
     * The most rows of a column without buffers, so that a few bytes cannot become very many rows.
     */
    private static final int MAX_NULL_ROWS = 65_536;

    private final RecordBatch batch;
    private final ByteBuffer body;
    private final FieldNode node = new FieldNode();
    private final Buffer buffer = new Buffer();
    private int nextNode;
    private int nextBuffer;
    private String field = "";

    ColumnDecoder(RecordBatch batch, ByteBuffer body) {
        this.batch = batch;
        this.body = body;
    }

    List<ArrowColumn> columns(List<ArrowField> fields, int rows) {
        List<ArrowColumn> columns = new ArrayList<>(fields.size());
        for (ArrowField next : fields) {
            field = next.name();
            columns.add(column(next.arrowType(), rows, rows));
        }
        if (nextNode != batch.nodesLength() || nextBuffer != batch.buffersLength()) {
            throw corrupt(
                    nextNode + " nodes and " + nextBuffer + " buffers",
                    batch.nodesLength() + " and " + batch.buffersLength());
        }
        return columns;
    }

    private ArrowColumn column(ArrowType type, int minCount, int maxCount) {
        int count = takeNode(minCount, maxCount);
        long nullCount = node.nullCount();
        if (nullCount < 0 || nullCount > count) {
            throw corrupt("0 to " + count + " nulls", nullCount);
        }
        Form form = type.form();
        if (form == Form.NULL) {
            if (count > MAX_NULL_ROWS) {
                throw corrupt("at most " + MAX_NULL_ROWS + " rows of type null", count);
            }
            return new ArrowColumn(type, count, count, EMPTY, EMPTY, EMPTY, List.of());
        }
        ByteBuffer validity = takeValidity(count, nullCount);
        ByteBuffer offsets = form.hasOffsets() ? takeOffsets(type, count) : EMPTY;
        ByteBuffer values = takeValues(form, count);
        List<ArrowColumn> children = children(type, count, offsets);
        if (form == Form.BYTES) {
            checkOffsets(type, count, offsets, values.remaining());
        }
        return new ArrowColumn(type, count, (int) nullCount, validity, offsets, values, children);
    }

    private List<ArrowColumn> children(ArrowType type, int count, ByteBuffer offsets) {
        List<ArrowColumn> children = new ArrayList<>(type.children().size());
        switch (type.form()) {
            case LIST -> {
                ArrowColumn element = column(type.children().get(0), 0, Integer.MAX_VALUE);
                checkOffsets(type, count, offsets, element.count());
                children.add(element);
            }
            case MAP -> {
                int entries = takeNode(0, Integer.MAX_VALUE);
                if (node.nullCount() != 0) {
                    throw corrupt("map entries that are not null", node.nullCount() + " nulls");
                }
                takeValidity(entries, 0);
                children.add(column(type.children().get(0), entries, Integer.MAX_VALUE));
                children.add(column(type.children().get(1), entries, Integer.MAX_VALUE));
                checkOffsets(type, count, offsets, entries);
            }
            case STRUCT -> {
                for (ArrowType child : type.children()) {
                    children.add(column(child, count, Integer.MAX_VALUE));
                }
            }
            default -> {}
        }
        return children;
    }

    private int takeNode(int minCount, int maxCount) {
        @Nullable FieldNode found =
                nextNode < batch.nodesLength() ? batch.nodes(node, nextNode++) : null;
        if (found == null) {
            throw corrupt("more than " + nextNode + " nodes", batch.nodesLength());
        }
        long count = node.length();
        // Every value has at least one bit, of validity or of its own. The limit also applies to
        // null structs of structs, which have none.
        if (count < minCount
                || count > Math.min(maxCount, 8L * ArrowBatchEncoder.MAX_BATCH_BYTES)) {
            throw corrupt("a column of " + minCount + " values or more", count);
        }
        return (int) count;
    }

    private ByteBuffer takeBuffer() {
        @Nullable Buffer found =
                nextBuffer < batch.buffersLength() ? batch.buffers(buffer, nextBuffer++) : null;
        if (found == null) {
            throw corrupt("more than " + nextBuffer + " buffers", batch.buffersLength());
        }
        long offset = buffer.offset();
        long length = buffer.length();
        if (offset < 0
                || length < 0
                || length > body.remaining()
                || offset > body.remaining() - length) {
            throw corrupt(
                    "a buffer within " + body.remaining() + " bytes",
                    length + " bytes at " + offset);
        }
        return length == 0
                ? EMPTY
                : body.slice((int) offset, (int) length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private ByteBuffer takeValidity(int count, long nullCount) {
        ByteBuffer validity = takeBuffer();
        if (nullCount > 0 && validity.remaining() < (count + 7L) / 8) {
            throw corrupt(
                    "a validity bitmap of " + (count + 7L) / 8 + " bytes", validity.remaining());
        }
        return validity;
    }

    private ByteBuffer takeOffsets(ArrowType type, int count) {
        ByteBuffer offsets = takeBuffer();
        long needed = (count + 1L) * (type.largeOffsets() ? 8 : 4);
        if (count > 0 && offsets.remaining() < needed) {
            throw corrupt("offsets of " + needed + " bytes", offsets.remaining());
        }
        return offsets;
    }

    private ByteBuffer takeValues(Form form, int count) {
        if (form.width() == 0 && form != Form.BOOLEAN && form != Form.BYTES) {
            return EMPTY;
        }
        ByteBuffer values = takeBuffer();
        long needed = form == Form.BOOLEAN ? (count + 7L) / 8 : (long) count * form.width();
        if (values.remaining() < needed) {
            throw corrupt("values of " + needed + " bytes", values.remaining());
        }
        return values;
    }

    private void checkOffsets(ArrowType type, int count, ByteBuffer offsets, int limit) {
        if (count == 0) {
            return;
        }
        long previous = 0;
        for (int i = 0; i <= count; i++) {
            long offset = type.largeOffsets() ? offsets.getLong(i * 8) : offsets.getInt(i * 4);
            if (offset < previous || offset > limit) {
                throw corrupt("an offset of " + previous + " to " + limit, offset);
            }
            previous = offset;
        }
    }

    private SteleException corrupt(String expected, Object found) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected " + expected + " in Arrow field '" + field + "', found " + found);
    }
}
