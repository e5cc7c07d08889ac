package io.stele.protocol.schema;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.Locale;

/** The storage orientations of a table: the kinds of tablets that hold its rows. */
public enum Orientation {
    /** Row tablets only: fast lookups by key. */
    ROW("row"),
    /** Column tablets only: fast scans. */
    COLUMN("column"),
    /** Row and column tablets, which are written together. */
    ROW_COLUMN("row,column");

    private final String text;

    Orientation(String text) {
        this.text = text;
    }

    /** The value of the table property {@code orientation}. */
    @JsonValue
    public String text() {
        return text;
    }

    /** Whether scans are served from column tablets. */
    public boolean hasColumns() {
        return this != ROW;
    }

    /** Whether lookups are served from row tablets. */
    public boolean hasRows() {
        return this != COLUMN;
    }

    /** Parses the table property; the order, case and blanks of {@code row,column} are ignored. */
    @JsonCreator
    public static Orientation parse(String text) {
        return switch (text.toLowerCase(Locale.ENGLISH).replace(" ", "")) {
            case "row" -> ROW;
            case "column" -> COLUMN;
            case "row,column", "column,row" -> ROW_COLUMN;
            default ->
                    throw new SteleException(
                            ErrorCode.INVALID_ARGUMENT,
                            "Expected orientation 'row', 'column' or 'row,column', found '"
                                    + text
                                    + "'");
        };
    }
}
