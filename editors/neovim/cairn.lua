-- Cairn in Neovim (0.7 or later): copy this file to ~/.config/nvim/plugin/.
-- What it needs is the program `cairn` in the path, or CAIRN set to it.

local languages = { mil = 'milestones', fcr = 'fiacre', cdl = 'cdl', xgdl = 'xgdl', xta = 'xta' }
local client -- one server for all files

-- Lenses ("check this property") are shown when the text is left alone;
-- :lua vim.lsp.codelens.run() runs the one in this line.
local function show_lenses(_, buffer)
  vim.lsp.codelens.refresh()
  vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorHold', 'InsertLeave' }, {
    buffer = buffer,
    callback = function() vim.lsp.codelens.refresh() end,
  })
end

local function attach(buffer)
  if not client or vim.lsp.client_is_stopped(client) then
    client = vim.lsp.start_client({
      name = 'cairn',
      cmd = { vim.env.CAIRN or 'cairn', 'lsp' },
      init_options = { check = { seconds = 60, mebibytes = 2048 } },
      on_attach = show_lenses,
    })
  end
  if client then vim.lsp.buf_attach_client(buffer, client) end
end

for extension, language in pairs(languages) do
  vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
    pattern = '*.' .. extension,
    callback = function() vim.bo.filetype = language end,
  })
end

vim.api.nvim_create_autocmd('FileType', {
  pattern = vim.tbl_values(languages),
  callback = function(args)
    vim.bo[args.buf].commentstring = '// %s'
    attach(args.buf)
  end,
})
