package io.stele.protocol.schema;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * The names of the {@link TableOptions} as table properties, by which single options are changed.
 */
public enum TableOption {
    RETENTION("retention"),
    TIME_TO_LIVE("time_to_live"),
    SEGMENT_KEY("segment_key"),
    BITMAP_COLUMNS("bitmap_columns"),
    DICTIONARY_COLUMNS("dictionary_columns"),
    INDEXES("indexes"),
    COMPRESSION("compression");

    private final String property;

    TableOption(String property) {
        this.property = property;
    }

    /** The name of the table property. */
    @JsonValue
    public String property() {
        return property;
    }

    /** The option of a table property; throws INVALID_ARGUMENT if there is none. */
    @JsonCreator
    public static TableOption of(String property) {
        for (TableOption option : values()) {
            if (option.property.equals(property)) {
                return option;
            }
        }
        throw new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected one of the table properties that can be changed: %s; found '%s'"
                        .formatted(
                                Arrays.stream(values())
                                        .map(TableOption::property)
                                        .collect(Collectors.joining(", ")),
                                property));
    }

    /** {@code base} with the values of {@code changes} for some options. */
    public static TableOptions change(
            TableOptions base, Collection<TableOption> changed, TableOptions changes) {
        TableOptions result = base;
        for (TableOption option : changed) {
            result = option.copy(changes, result);
        }
        return result;
    }

    private TableOptions copy(TableOptions from, TableOptions to) {
        return switch (this) {
            case RETENTION -> to.withRetentionMillis(from.retentionMillis());
            case TIME_TO_LIVE -> to.withTimeToLiveMillis(from.timeToLiveMillis());
            case SEGMENT_KEY -> to.withSegmentKey(from.segmentKey());
            case BITMAP_COLUMNS -> to.withBitmapColumns(from.bitmapColumns());
            case DICTIONARY_COLUMNS -> to.withDictionaryColumns(from.dictionaryColumns());
            case INDEXES -> to.withIndexes(from.indexes());
            case COMPRESSION -> to.withCompression(from.compression());
        };
    }
}
