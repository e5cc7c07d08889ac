package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.copy.CopyOptions;
import io.stele.sidecar.postgresql.copy.CopyWriter;
import io.stele.sidecar.postgresql.run.ResultRows;
import io.stele.sidecar.postgresql.wire.MessageWriter;
import io.stele.sidecar.postgresql.wire.Replies;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * A sender of a result's rows to the client as messages of COPY TO STDOUT, one for each row. The
 * head of BINARY comes in the message of the first row, or of the tail: clients rely on
 * PostgreSQL's doing so. Confined to one thread.
 */
final class CopyOutput {
    private static final int HEAD_BYTES = 5; // type and length of a message
    private static final byte[] NOTHING = {};

    private final CopyWriter writer;
    private final boolean isBinary;
    private final Replies replies;
    private final ByteArrayOutputStream row = new ByteArrayOutputStream();

    CopyOutput(CopyOptions options, Replies replies) {
        this.writer = new CopyWriter(options);
        this.isBinary = options.format() == CopyOptions.Format.BINARY;
        this.replies = replies;
    }

    /** Sends the rows; returns their number. */
    long send(List<String> columns, ResultRows rows) throws IOException {
        replies.copyResponse('H', isBinary, columns.size());
        byte[] head = writer.head(columns);
        if (!isBinary) {
            send(head);
            head = NOTHING;
        }
        MessageWriter out = new MessageWriter(row);
        long count = 0;
        while (rows.writeNext(out)) {
            out.flush();
            byte[] message = row.toByteArray();
            row.reset();
            send(head, writer.row(Arrays.copyOfRange(message, HEAD_BYTES, message.length)));
            head = NOTHING;
            count++;
        }
        send(head, writer.tail());
        replies.empty('c');
        return count;
    }

    private void send(byte[]... parts) throws IOException {
        if (Arrays.stream(parts).anyMatch(part -> part.length > 0)) {
            MessageWriter out = replies.out().begin('d');
            for (byte[] part : parts) {
                out.putBytes(part);
            }
            out.end();
        }
    }
}
