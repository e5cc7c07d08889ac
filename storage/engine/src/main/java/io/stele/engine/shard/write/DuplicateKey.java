package io.stele.engine.shard.write;

import io.stele.engine.row.KeyText;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.TableSchema;

/** The refusal of an insertion over a key that has a row, or comes twice. Stateless. */
public final class DuplicateKey {
    private DuplicateKey() {}

    /**
     * @param key encoded, of the table's primary key
     */
    public static SteleException refusal(TableSchema table, byte[] key) {
        return new SteleException(
                ErrorCode.DUPLICATE_KEY,
                "Expected a new key in table %s, found the duplicate key %s"
                        .formatted(
                                table.qualifiedName(),
                                KeyText.of(KeyEncoder.forPrimaryKey(table), key)));
    }
}
