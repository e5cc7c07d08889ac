package io.stele.flink.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.CreateViewRequest;
import io.stele.protocol.api.catalog.RenameViewRequest;
import io.stele.protocol.api.catalog.SetViewRequest;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.ViewRequest;
import io.stele.protocol.schema.ViewSchema;
import java.util.Optional;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogView;
import org.apache.flink.table.catalog.exceptions.CatalogException;

/**
 * The statements on views of Flink, as requests to Stele. Each throws the sidecar's refusal; and a
 * {@link CatalogException} for a view that another system created. Immutable; blocks.
 */
final class ViewStatements {
    private final RequestSender sender;

    ViewStatements(RequestSender sender) {
        this.sender = requireNonNull(sender, "sender is null");
    }

    void create(ObjectPath path, ResolvedCatalogView view, boolean ignoreIfExists) {
        TableName name = new TableName(path.getDatabaseName(), path.getObjectName());
        String definition = ViewDocument.of(path, view).text();
        try {
            sender.send(
                    CatalogActions.CREATE_VIEW,
                    new CreateViewRequest(name, definition, false, Optional.empty()));
        } catch (SteleException e) {
            if (e.code() != ErrorCode.TABLE_ALREADY_EXISTS || !ignoreIfExists) {
                throw e;
            }
        }
    }

    void drop(ViewSchema present) {
        sender.send(CatalogActions.DROP_VIEW, own(present));
    }

    void rename(ViewSchema present, TableName newName) {
        sender.send(CatalogActions.RENAME_VIEW, new RenameViewRequest(own(present), newName));
    }

    /** Replaces the definition. */
    void set(ViewSchema present, ObjectPath path, ResolvedCatalogView view) {
        sender.send(
                CatalogActions.SET_VIEW,
                new SetViewRequest(
                        own(present), present.revision(), ViewDocument.of(path, view).text()));
    }

    private static ViewRequest own(ViewSchema view) {
        ViewDocument.of(view); // refuses a view that Flink cannot read
        return new ViewRequest(new TableName(view.schemaName(), view.viewName()), false);
    }
}
