package io.stele.connector.read.cache;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.type.Type;
import java.util.List;

/**
 * An entry of the filtered-rows cache: the rows of a part of a file that satisfy a scan's
 * conditions, in the order of the file. Immutable; all readers share its blocks.
 *
 * @param bytes memory of the pages
 */
record FilteredRows(List<Page> pages, long bytes) {
    FilteredRows {
        pages = List.copyOf(pages);
    }

    long rowCount() {
        return pages.stream().mapToLong(Page::getPositionCount).sum();
    }

    /** Whether these are the same rows, value for value. */
    boolean isSame(FilteredRows other, List<Type> types) {
        if (pages.size() != other.pages.size()) {
            return false;
        }
        for (int i = 0; i < pages.size(); i++) {
            if (!isSame(pages.get(i), other.pages.get(i), types)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSame(Page left, Page right, List<Type> types) {
        if (left.getPositionCount() != right.getPositionCount()) {
            return false;
        }
        for (int channel = 0; channel < types.size(); channel++) {
            Type type = types.get(channel);
            Block ours = left.getBlock(channel);
            Block theirs = right.getBlock(channel);
            for (int position = 0; position < left.getPositionCount(); position++) {
                Object value = type.getObjectValue(ours, position);
                Object otherValue = type.getObjectValue(theirs, position);
                boolean isSame = value == null ? otherValue == null : value.equals(otherValue);
                if (!isSame) {
                    return false;
                }
            }
        }
        return true;
    }
}
