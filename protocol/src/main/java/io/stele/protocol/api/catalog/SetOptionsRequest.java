package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import java.util.List;

/**
 * A request to change options of a table.
 *
 * @param changed the options to change; all other options keep their present values
 * @param values the new values of the changed options
 */
public record SetOptionsRequest(TableId tableId, List<TableOption> changed, TableOptions values) {
    public SetOptionsRequest {
        requireNonNull(tableId, "tableId is null");
        changed = List.copyOf(changed);
        requireNonNull(values, "values is null");
    }
}
