package draft

// SchemaFile is the schema's place beside a sweep. A relative name works without a
// network, in a copy of the folder, and for whoever checks it out.
const SchemaFile = "servematrix.schema.json"

// modeline tells an editor's YAML language server which schema the file has.
const modeline = "# yaml-language-server: $schema=" + SchemaFile + "\n"
